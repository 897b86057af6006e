import { createHash } from 'node:crypto'

/** Where a store keeps a key, relative to its own root: no key can name a place outside, or one that is too long. */
export function hashKey(key: string): string {
  const name = createHash('sha256').update(key).digest('hex')
  return `${name.slice(0, 2)}/${name}`
}
