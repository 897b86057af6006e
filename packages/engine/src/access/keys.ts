import { createHash } from 'node:crypto'
import { formatKey, formatKeyId, parseKey, type KeyPrefix } from '@skein/contract/facts'
import { v7 as uuidV7, parse as parseUuid } from 'uuid'
import type { EngineResources } from '../resources.ts'

/** Sorts by creation time, like its UUIDv7. */
export function newKeyId({ cell, clock, random }: EngineResources): string {
  return formatKeyId(cell, parseUuid(uuidV7({ msecs: clock.now(), random: random.bytes(16) })))
}

/** Returns the whole key, shown once, and the digest of its secret, which is stored. */
export function mintKey(
  { random }: EngineResources,
  prefix: KeyPrefix,
  keyId: string,
): { key: string; secretSha256: Uint8Array } {
  const key = formatKey(prefix, keyId, random.bytes(32))
  const secret = parseKey(key)?.secret
  if (secret === undefined) throw new Error('A minted key can be parsed')
  return { key, secretSha256: hashSecret(secret) }
}

/** One fast hash is enough: the secret has 256 random bits and cannot be guessed. */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}
