import { isRecord } from '../../json.ts'

type Schema = Readonly<Record<string, unknown>>

const KEYWORDS = new Set([
  '$defs',
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
])

/**
 * The schema in the provider's strict mode, or undefined. Codex requires strict mode, where a schema must list every
 * property as required and may use few keywords. Other schemas are rejected with a 400 before the model says a word.
 */
export function toStrictSchema({ $schema: _dialect, ...schema }: Schema): Schema | undefined {
  return schema['type'] === 'object' && isStrict(schema) ? schema : undefined
}

function isStrict(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  if (!Object.keys(schema).every((keyword) => KEYWORDS.has(keyword))) return false
  const { items, anyOf, properties, $defs } = schema
  return (
    hasAllRequired(schema) &&
    (items === undefined || isStrict(items)) &&
    (anyOf === undefined || (Array.isArray(anyOf) && anyOf.every(isStrict))) &&
    [properties, $defs].every((parts) => !isRecord(parts) || Object.values(parts).every(isStrict))
  )
}

function hasAllRequired({ type, properties, required, additionalProperties }: Schema): boolean {
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!isObject && properties === undefined) return true
  const names = isRecord(properties) ? Object.keys(properties) : []
  return (
    additionalProperties === false &&
    Array.isArray(required) &&
    names.every((name) => required.includes(name))
  )
}
