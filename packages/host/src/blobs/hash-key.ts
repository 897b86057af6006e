import { createHash } from 'node:crypto'

const MARK_NAME = /^[A-Za-z0-9-]{1,64}$/

/** A key's path, relative to the store's root. No key can escape the root or be too long. */
export function hashKey(key: string): string {
  const name = createHash('sha256').update(key).digest('hex')
  return `${name.slice(0, 2)}/${name}`
}

/** What the paths of all marks of a group begin with. Their names follow. */
export function markPrefix(group: string): string {
  return `marks/${hashKey(group)}.`
}

export function markPath(group: string, name: string): string {
  if (!MARK_NAME.test(name)) throw new Error('A mark’s name has letters, digits and hyphens, at most 64')
  return `${markPrefix(group)}${name}`
}

export function isMarkName(name: string): boolean {
  return MARK_NAME.test(name)
}
