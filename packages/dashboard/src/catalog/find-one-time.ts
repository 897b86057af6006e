import type { Document } from '@skein/resource-files'
import type { SchemaNode } from './schema-node.ts'

/** Fields in the response that cannot be read again. */
export function findOneTime(answer: Document, held: Document): Readonly<Record<string, string>> {
  const entries = Object.entries(answer).filter(([name]) => !(name in held))
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  )
}

/**
 * A write's response without its secrets, if the resource could not be read back: omits texts set by the service,
 * unless they were there before. Better too few fields than a secret mistaken for one.
 */
export function presumeHeld({ properties }: SchemaNode, answer: Document, before: Document): Document {
  const setByService = new Set(properties.filter(({ node }) => node.isReadOnly).map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(answer).filter(
      ([name, value]) => !setByService.has(name) || name in before || typeof value !== 'string',
    ),
  )
}
