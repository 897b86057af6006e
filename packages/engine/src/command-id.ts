import { createHash } from 'node:crypto'
import type { Caller } from '@skein/core'

/** The same key from another caller or on another path is another command. */
export function keyedCommandId(caller: Caller, { key, path }: { key: string; path: string }): Buffer {
  return sha256(JSON.stringify([caller.tenantId, caller.ownerProvider, caller.account, path, key]))
}

/** For commands whose cause is unique: the end of one attempt, the time of one message. */
export function causedCommandId(...cause: readonly string[]): Buffer {
  return sha256(JSON.stringify(['cause', ...cause]))
}

export function requestDigest(request: unknown): Buffer {
  return sha256(JSON.stringify(request ?? null))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
