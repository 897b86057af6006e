import { formatDocument, type Document } from '@skein/resource-files'
import type { EditedKind } from '../../../catalog/resource-text.ts'
import type { SchemaNode } from '../../../catalog/schema-node.ts'

/** The template of a new document: every editable field with its default. */
export function makeTemplate({ schema, bodyField }: EditedKind): string {
  return formatDocument(makeObject(schema), bodyField)
}

function makeObject({ properties }: SchemaNode): Document {
  return Object.fromEntries(
    properties
      .filter(
        ({ node, isRequired }) => !node.isReadOnly && (isRequired || node.isWriteOnly || node.hasDefault),
      )
      .map(({ name, node }) => [name, makeValue(node)]),
  )
}

function makeValue(node: SchemaNode): unknown {
  if (node.hasDefault) return node.default
  const [choice] = node.choices
  if (choice !== undefined) return choice
  if (node.type === 'array') return node.items ? [makeValue(node.items)] : []
  if (node.type === 'object') return makeObject(node)
  if (node.type === 'boolean') return false
  return node.type === 'number' || node.type === 'integer' ? 0 : ''
}
