import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'

/** The same key from another caller or on another path is another command. */
export function keyedCommandId(caller: Caller, { key, path }: { key: string; path: string }): Buffer {
  return sha256(JSON.stringify([caller.tenantId, caller.ownerProvider, caller.account, path, key]))
}

/** For commands whose cause is unique: the end of one attempt, the time of one message. */
export function causedCommandId(...cause: readonly string[]): Buffer {
  return sha256(JSON.stringify(['cause', ...cause]))
}

/** Tells whether a retry asks for the same as the first request did, which may have carried a secret. */
export interface RequestDigest {
  /** What is recorded. */
  readonly sha256: Uint8Array
  isSameAs(recorded: Uint8Array): boolean
}

export function digestRequest({ vault }: EngineResources, request: unknown): RequestDigest {
  return toRequestDigest(vault.digests(JSON.stringify(request ?? null)))
}

/** For commands whose id alone says what they ask for. */
export const NO_REQUEST = toRequestDigest([sha256('null')])

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
