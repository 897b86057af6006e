import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'

/** How every try of a command is recognised, by us or by its caller. */
export interface CommandIdentity {
  readonly id: Uint8Array
  readonly request: RequestDigest
  /** Whether the caller may send it again under the same key, so that even an answer without effect is kept. */
  readonly isKeyed: boolean
}

/** What a caller sends so that a retry is recognised. */
export interface Idempotency {
  readonly key: string
  readonly path: string
  readonly request: unknown
}

/** Without a key, only our own retries are tries of the same command. */
export function identify(
  engine: EngineResources,
  { caller, idempotency }: { readonly caller: Caller; readonly idempotency?: Idempotency },
): CommandIdentity {
  if (!idempotency) return { id: engine.random.bytes(32), request: NO_REQUEST, isKeyed: false }
  return {
    id: keyedCommandId(caller, idempotency),
    request: digestRequest(engine, idempotency.request),
    isKeyed: true,
  }
}

/** For commands whose cause is unique: the end of one attempt, the time of one message. */
export function identifyByCause(...cause: readonly string[]): CommandIdentity {
  return { id: sha256(JSON.stringify(['cause', ...cause])), request: NO_REQUEST, isKeyed: false }
}

/** The same key from another caller or on another path is another command. */
function keyedCommandId(caller: Caller, { key, path }: Idempotency): Buffer {
  return sha256(JSON.stringify([caller.tenantId, caller.ownerProvider, caller.account, path, key]))
}

/** Tells whether a retry asks for the same as the first request did, which may have carried a secret. */
interface RequestDigest {
  /** What is recorded. */
  readonly sha256: Uint8Array
  isSameAs(recorded: Uint8Array): boolean
}

function digestRequest({ vault }: EngineResources, request: unknown): RequestDigest {
  return toRequestDigest(vault.digests(JSON.stringify(request ?? null)))
}

/** For commands whose id alone says what they ask for. */
const NO_REQUEST = toRequestDigest([sha256('null')])

/** The first is recorded; while the master key is rotated, another server may have recorded any of the others. */
function toRequestDigest(digests: readonly Buffer[]): RequestDigest {
  const [first] = digests
  if (!first) throw new TypeError('A request has a digest')
  return {
    sha256: first,
    isSameAs: (recorded) => digests.some((digest) => timingSafeEqual(digest, recorded)),
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
