import { createHash } from 'node:crypto'

/** A key's path, relative to the store's root. No key can escape the root or be too long. */
export function hashKey(key: string): string {
  const name = createHash('sha256').update(key).digest('hex')
  return `${name.slice(0, 2)}/${name}`
}
