import type { SchemaNode } from '../../../catalog/schema-node.ts'

/** One line of the field help. */
export interface SchemaField {
  /** `repos[].url` */
  readonly path: string
  readonly type: string
  readonly defaultText: string
  readonly isRequired: boolean
  readonly description: string
  readonly note: string
}

/** The editable fields, including nested ones. */
export function listSchemaFields(schema: SchemaNode, prefix = ''): readonly SchemaField[] {
  return schema.properties
    .filter(({ node }) => !node.isReadOnly)
    .flatMap(({ name, isRequired, node }) => {
      const path = `${prefix}${name}`
      const field = {
        path,
        type: describeType(node),
        defaultText: node.hasDefault ? describeDefault(node.default) : '',
        isRequired,
        description: node.description,
        note: describeNote(node),
      }
      const inside = node.items
        ? listSchemaFields(node.items, `${path}[].`)
        : listSchemaFields(node, `${path}.`)
      return [field, ...inside]
    })
}

function describeType(node: SchemaNode): string {
  if (node.choices.length > 0) return node.choices.join(' | ')
  if (node.items) return `list of ${describeType(node.items)}`
  if (node.values) return `map to ${describeType(node.values)}`
  if (node.format === 'google-duration') return 'duration, such as 90s'
  if (node.format === 'date-time') return 'timestamp'
  return node.type === '' ? 'anything' : node.type
}

function describeDefault(value: unknown): string {
  return value === '' ? 'empty' : JSON.stringify(value)
}

function describeNote({ reference, items, values, isWriteOnly }: SchemaNode): string {
  const named = [reference, items?.reference, values?.reference].find(Boolean)
  if (named !== undefined) return `The name of the ${named}.`
  return isWriteOnly ? 'Never shown again.' : ''
}
