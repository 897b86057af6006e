import type { Document } from './document.ts'

/** The parts of a published JSON Schema that matter for comparing. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly default?: unknown
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly format?: string
}

/**
 * A document as the service would store it: with defaults, without read-only and write-only fields. Documents that
 * are equal in this form are the same to the service.
 */
export function normalize(document: Document, schema: Schema): Document {
  const fields: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.readOnly || property.writeOnly) continue
    const value = document[name] === undefined ? property.default : document[name]
    // The service fills in unspecified choices itself, so its value says nothing about the file.
    if (value === undefined || isUnspecified(value)) continue
    fields[name] = normalizeValue(value, property)
  }
  for (const name of Object.keys(document)) {
    // Not in the schema. Kept, so that the service can report it.
    if (!schema.properties?.[name]) fields[name] = document[name]
  }
  return fields
}

/** Write-only fields are never returned, so changes to them cannot be detected. */
export function writeOnlyFields(document: Document, schema: Schema): string[] {
  const properties = Object.entries(schema.properties ?? {})
  return properties.filter(([name, { writeOnly }]) => writeOnly && name in document).map(([name]) => name)
}

function normalizeValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => normalizeValue(item, schema.items ?? {}))
  if (typeof value === 'object' && value !== null) {
    return schema.properties ? normalize({ ...value }, schema) : { ...value }
  }
  if (typeof value === 'string' && schema.format === 'date-time' && !Number.isNaN(Date.parse(value))) {
    return new Date(value).toISOString()
  }
  return value
}

function isUnspecified(value: unknown): boolean {
  return typeof value === 'string' && value.endsWith('_UNSPECIFIED')
}

/** Fields the file leaves unspecified are not compared: the service may have filled them in. */
export function comparable(current: Document, wanted: Document, schema: Schema): Document {
  const open = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) => isUnspecified(property.default) && wanted[name] === undefined,
  )
  const left = new Set(open.map(([name]) => name))
  return Object.fromEntries(Object.entries(current).filter(([name]) => !left.has(name)))
}
