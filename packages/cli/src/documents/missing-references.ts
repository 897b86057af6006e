import { SkeinApiError, type Catalog } from '@skein/client'
import { REFERENCE } from '@skein/contract/facts'
import type { Change } from './plan-changes.ts'

interface Reference {
  readonly kind: string
  readonly name: string
  readonly field: string
}

/** Why writing this change would be rejected: references that neither the catalog nor the files contain. */
export async function findMissingReferences(
  catalog: Catalog,
  change: Change,
  changes: readonly Change[],
): Promise<string[]> {
  const missing: string[] = []
  for (const { kind, name, field } of collect(change.kind.schema, change.resource.document, '')) {
    const isPlanned = changes.some(({ resource }) => resource.kind === kind && resource.name === name)
    if (isPlanned || (await exists(catalog, kind, name))) continue
    missing.push(`${field}: ${kind} ${name} not found`)
  }
  return missing
}

function* collect(schema: unknown, value: unknown, field: string): Generator<Reference> {
  if (!isRecord(schema)) return
  const kind = schema[REFERENCE]
  if (typeof kind === 'string' && typeof value === 'string' && value !== '')
    yield { kind, name: value, field }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* collect(schema['items'], item, `${field}[${index}]`)
  } else if (isRecord(value)) {
    for (const [name, item] of Object.entries(value)) {
      yield* collect(fieldSchema(schema, name), item, field === '' ? name : `${field}.${name}`)
    }
  }
}

function fieldSchema(schema: Readonly<Record<string, unknown>>, name: string): unknown {
  const { properties, patternProperties } = schema
  if (isRecord(properties) && Object.hasOwn(properties, name)) return properties[name]
  return isRecord(patternProperties) ? Object.values(patternProperties)[0] : undefined
}

async function exists(catalog: Catalog, kind: string, name: string): Promise<boolean> {
  try {
    await catalog.get(kind, name)
    return true
  } catch (error) {
    if (error instanceof SkeinApiError && error.reason === 'RESOURCE_NOT_FOUND') return false
    throw error
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
