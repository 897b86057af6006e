import type { Document } from './document.ts'

/** The parts of a published JSON Schema that matter for a comparison. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly default?: unknown
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly format?: string
}

/**
 * A document as the service would hold it: defaults filled in, without what only the service sets and what it never
 * gives back. Two documents that are equal in this form are the same to it.
 */
export function normalize(document: Document, schema: Schema): Document {
  const fields: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.readOnly || property.writeOnly) continue
    const value = document[name] === undefined ? property.default : document[name]
    // The service fills an unspecified choice by itself, so what it holds says nothing of the file.
    if (value === undefined || isUnspecified(value)) continue
    fields[name] = normalizeValue(value, property)
  }
  for (const name of Object.keys(document)) {
    // Not in the schema: kept, so that the service can say what is wrong with it.
    if (!schema.properties?.[name]) fields[name] = document[name]
  }
  return fields
}

/** Fields that the service takes and never gives back, so that nobody can tell whether they changed. */
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

/** What the file leaves open is not compared: the service may have filled it. */
export function comparable(current: Document, wanted: Document, schema: Schema): Document {
  const open = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) => isUnspecified(property.default) && wanted[name] === undefined,
  )
  const left = new Set(open.map(([name]) => name))
  return Object.fromEntries(Object.entries(current).filter(([name]) => !left.has(name)))
}
