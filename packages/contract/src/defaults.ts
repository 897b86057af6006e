import type { TSchema } from 'typebox'

/**
 * The value with each absent field that has a default filled in; the value itself stays as it is. TypeBox has
 * the same as Value.Default, which writes into the value and throws on a map whose keys its schema forbids.
 */
export function withDefaults(schema: TSchema, value: unknown): unknown {
  const given: unknown = value === undefined && 'default' in schema ? schema.default : value
  if (Array.isArray(given)) return given.map((item) => fill(childOf(schema, 'items'), item))
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

function fill(schema: unknown, value: unknown): unknown {
  return typeof schema === 'object' && schema !== null ? withDefaults(schema, value) : value
}

function childOf(schema: unknown, key: string): object | undefined {
  if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined
  const child: unknown = Object.getOwnPropertyDescriptor(schema, key)?.value
  return typeof child === 'object' && child !== null ? child : undefined
}
