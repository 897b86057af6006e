import type { TSchema } from 'typebox'

/**
 * Returns a copy of the value with defaults filled in. TypeBox's Value.Default writes into the value and throws on
 * maps whose keys its schema forbids.
 */
export function withDefaults(schema: TSchema, value: unknown): unknown {
  const given: unknown = value === undefined && 'default' in schema ? schema.default : value
  if (Array.isArray(given)) {
    return isTooLong(schema, given) ? given : given.map((item) => fill(childOf(schema, 'items'), item))
  }
  if (typeof given !== 'object' || given === null) return given
  const filled: [string, unknown][] = Object.entries(given)
  for (const [index, [key, field]] of filled.entries()) {
    filled[index] = [key, fill(childOf(childOf(schema, 'properties'), key), field)]
  }
  for (const [key, property] of Object.entries(childOf(schema, 'properties') ?? {})) {
    if (Object.hasOwn(given, key)) continue
    const field = fill(property, undefined)
    if (field !== undefined) filled.push([key, field])
  }
  return Object.fromEntries(filled)
}

/** Such a list is rejected anyway, so a hostile one is not traversed. */
function isTooLong(schema: unknown, { length }: readonly unknown[]): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const maxItems: unknown = Object.getOwnPropertyDescriptor(schema, 'maxItems')?.value
  return typeof maxItems === 'number' && length > maxItems
}

/**
 * Returns the value without optional fields that are null, which in proto3 JSON means absent. Walks the schema
 * rather than the value, because a hostile value is far larger.
 */
export function withoutNulls(schema: TSchema, value: unknown): unknown {
  return strip(schema, value)
}

function strip(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    return isTooLong(schema, value) ? value : stripItems(childOf(schema, 'items'), value)
  }
  const properties = childOf(schema, 'properties')
  if (!properties || typeof value !== 'object' || value === null) return value
  const required: unknown[] = Object.values(childOf(schema, 'required') ?? [])
  const changed = new Map<string, unknown>()
  for (const key of Object.keys(properties)) {
    const property = childOf(properties, key) ?? {}
    const field: unknown = Object.getOwnPropertyDescriptor(value, key)?.value
    const isOptional = 'default' in property || !required.includes(key)
    // A schema without a type accepts null as a value.
    const isLeftOut = field === null && isOptional && 'type' in property
    const stripped = isLeftOut ? undefined : strip(property, field)
    if (stripped !== field) changed.set(key, stripped)
  }
  if (changed.size === 0) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, field]): [string, unknown] => [key, changed.has(key) ? changed.get(key) : field])
      .filter(([, field]) => field !== undefined),
  )
}

function stripItems(schema: unknown, items: unknown[]): unknown[] {
  if (!childOf(schema, 'properties')) return items
  const stripped = items.map((item) => strip(schema, item))
  return stripped.some((item, index) => item !== items[index]) ? stripped : items
}

function fill(schema: unknown, value: unknown): unknown {
  return typeof schema === 'object' && schema !== null ? withDefaults(schema, value) : value
}

function childOf(schema: unknown, key: string): object | undefined {
  if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined
  const child: unknown = Object.getOwnPropertyDescriptor(schema, key)?.value
  return typeof child === 'object' && child !== null ? child : undefined
}
