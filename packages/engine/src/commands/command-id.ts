import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'

/** Identifies all tries of a command, whether ours or the caller's. */
export interface CommandIdentity {
  readonly id: Uint8Array
  readonly request: RequestDigest
  /** Whether the caller may retry with the same key. Then even an answer without effect is recorded. */
  readonly isKeyed: boolean
  /** Whether nobody else can send the same command: only our own second try has to look for the first. */
  readonly isOurs: boolean
}

/** What a caller sends so that its retries are recognised. */
export interface Idempotency {
  readonly key: string
  readonly path: string
  readonly request: unknown
}

/** Without a key, only our own retries count as the same command. */
export function identify(
  engine: EngineResources,
  { caller, idempotency }: { readonly caller: Caller; readonly idempotency?: Idempotency },
): CommandIdentity {
  if (!idempotency) return { id: engine.random.bytes(32), request: NO_REQUEST, isKeyed: false, isOurs: true }
  return {
    id: keyedCommandId(caller, idempotency),
    request: digestRequest(engine, idempotency.request),
    isKeyed: true,
    isOurs: false,
  }
}

/** For commands with a unique cause, such as the end of an attempt or the delivery time of a message. */
export function identifyByCause(...cause: readonly string[]): CommandIdentity {
  const id = sha256(JSON.stringify(['cause', ...cause]))
  return { id, request: NO_REQUEST, isKeyed: false, isOurs: false }
}

/** The same key from another caller or on another path is a different command. */
function keyedCommandId(caller: Caller, { key, path }: Idempotency): Buffer {
  return sha256(JSON.stringify([caller.tenantId, caller.ownerProvider, caller.account, path, key]))
}

/** Tells whether a retry equals the first request, without storing it: it may contain a secret. */
interface RequestDigest {
  /** The digest that is stored. */
  readonly sha256: Uint8Array
  isSameAs(recorded: Uint8Array): boolean
}

function digestRequest({ vault }: EngineResources, request: unknown): RequestDigest {
  return toRequestDigest(vault.digests(JSON.stringify(request ?? null)))
}

/** For commands that their id fully describes. */
const NO_REQUEST = toRequestDigest([sha256('null')])

/** Of a command from another cell, whose digests are made with another key: its id alone has to do (docs/adr/0074). */
const UNKNOWN_REQUEST = Buffer.alloc(32)

/** The first is stored. While the master key is being rotated, another server may have stored any of the others. */
function toRequestDigest(digests: readonly Buffer[]): RequestDigest {
  const [first] = digests
  if (!first) throw new TypeError('A request has a digest')
  return {
    sha256: first,
    isSameAs: (recorded) => [...digests, UNKNOWN_REQUEST].some((digest) => timingSafeEqual(digest, recorded)),
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
