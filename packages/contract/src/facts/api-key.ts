/**
 * The format of an API key: `skn_<keyId>.<secret>`. The key id is public, sorts by creation time and starts with the
 * tenant's cell, so that an edge can route without a lookup. The secret is 256 random bits followed by a checksum
 * over the whole key, so that typos are detected without asking the server.
 */

export const KEY_PREFIXES = { apiKey: 'skn', shareLink: 'skl' } as const
export type KeyPrefix = (typeof KEY_PREFIXES)[keyof typeof KEY_PREFIXES]

/** Prefix of a sign-in link's fragment. It is not a key: it works once, for a few minutes. */
export const SIGN_IN_CODE_PREFIX = 'skc_'

export interface ParsedKey {
  readonly prefix: KeyPrefix
  readonly keyId: string
  readonly secret: string
}

const FORM = /^(skn|skl)_([a-z0-9]{1,8}[0-9a-hjkmnp-tv-z]{26})\.([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/

/** Undefined for anything that cannot be one of our keys. */
export function parseKey(text: string): ParsedKey | undefined {
  const [, prefix, keyId, random, checksum] = FORM.exec(text) ?? []
  if (keyId === undefined || random === undefined) return undefined
  if (prefix !== KEY_PREFIXES.apiKey && prefix !== KEY_PREFIXES.shareLink) return undefined
  if (checksumOf(`${prefix}_${keyId}.${random}`) !== checksum) return undefined
  return { prefix, keyId, secret: random + checksum }
}

/** Builds a key from 32 random bytes. */
export function formatKey(prefix: KeyPrefix, keyId: string, random: Uint8Array): string {
  const body = `${prefix}_${keyId}.${base64Url(random)}`
  return body + checksumOf(body)
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** The cell's name, then 26 characters that sort like the 16 bytes. */
export function formatKeyId(cell: string, bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  let text = ''
  for (let position = 0; position < 26; position++) {
    text = `${CROCKFORD[Number(value & 31n)]}${text}`
    value >>= 5n
  }
  return cell + text
}

function checksumOf(text: string): string {
  const crc = crc32(new TextEncoder().encode(text))
  return base64Url(Uint8Array.of(crc >>> 24, crc >>> 16, crc >>> 8, crc))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}
