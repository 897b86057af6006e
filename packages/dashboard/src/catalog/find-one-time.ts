import type { Document } from '@skein/resource-files'
import type { SchemaNode } from './schema-node.ts'

/** What was answered once and is not there to be read. */
export function findOneTime(answer: Document, held: Document): Readonly<Record<string, string>> {
  const entries = Object.entries(answer).filter(([name]) => !(name in held))
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  )
}

/**
 * What can be read of a write's answer, where the service could not be asked: without the texts that it set itself,
 * unless they were there before. Rather too few than a secret that is taken for a field.
 */
export function presumeHeld({ properties }: SchemaNode, answer: Document, before: Document): Document {
  const setByService = new Set(properties.filter(({ node }) => node.isReadOnly).map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(answer).filter(
      ([name, value]) => !setByService.has(name) || name in before || typeof value !== 'string',
    ),
  )
}
