import { REFERENCE } from '@skein/contract/facts'
import { isDocument } from '@skein/resource-files'

/** The parts of a published JSON Schema that the editor shows. */
export interface SchemaNode {
  readonly type: string
  readonly description: string
  readonly format: string
  readonly hasDefault: boolean
  readonly default: unknown
  readonly choices: readonly string[]
  readonly properties: readonly SchemaProperty[]
  readonly items: SchemaNode | undefined
  /** For maps: the schema of the values. */
  readonly values: SchemaNode | undefined
  readonly isReadOnly: boolean
  readonly isWriteOnly: boolean
  /** The kind of the referenced resource. */
  readonly reference: string
}

interface SchemaProperty {
  readonly name: string
  readonly isRequired: boolean
  readonly node: SchemaNode
}

export function readSchema(value: unknown): SchemaNode {
  const schema = isDocument(value) ? value : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const properties = isDocument(schema['properties']) ? schema['properties'] : {}
  const [values] = isDocument(schema['patternProperties']) ? Object.values(schema['patternProperties']) : []
  return {
    type: readText(schema['type']),
    description: readText(schema['description']),
    format: readText(schema['format']),
    hasDefault: 'default' in schema,
    default: schema['default'],
    choices: Array.isArray(schema['enum']) ? schema['enum'].map(String) : [],
    properties: Object.entries(properties).map(([name, property]) => ({
      name,
      isRequired: required.includes(name),
      node: readSchema(property),
    })),
    items: isDocument(schema['items']) ? readSchema(schema['items']) : undefined,
    values: isDocument(values) ? readSchema(values) : undefined,
    isReadOnly: schema['readOnly'] === true,
    isWriteOnly: schema['writeOnly'] === true,
    reference: readText(schema[REFERENCE]),
  }
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
