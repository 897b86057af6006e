import { isObject, listOf, objectOf, textOf, type JsonObject } from './json.ts'

/** A recursive schema has no smallest example. */
const MAX_DEPTH = 20
const SAMPLE_TEXT = 'simulated'
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** A value that matches a JSON Schema, as far as possible without solving it: patterns are ignored. */
export function exampleOf(schema: JsonObject): unknown {
  return example(schema, schema, 0)
}

function example(given: unknown, root: JsonObject, depth: number): unknown {
  if (depth > MAX_DEPTH || !isObject(given)) return null
  const schema = merged(given, root)
  for (const key of ['const', 'default']) if (Object.hasOwn(schema, key)) return schema[key]
  for (const key of ['enum', 'examples']) {
    const values = listOf(schema[key])
    if (values.length > 0) return values[0]
  }
  for (const key of ['anyOf', 'oneOf']) {
    const [first] = listOf(schema[key])
    if (first !== undefined) return example({ ...without(schema, key), ...objectOf(first) }, root, depth + 1)
  }
  return exampleOfType(schema, root, depth)
}

function exampleOfType(schema: JsonObject, root: JsonObject, depth: number): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(schema, root, depth)
    case 'array':
      return exampleList(schema, root, depth)
    case 'integer':
    case 'number':
      return exampleNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return exampleText(schema)
  }
}

function exampleList(schema: JsonObject, root: JsonObject, depth: number): unknown[] {
  const length = Math.min(numberOf(schema['minItems']) ?? 1, numberOf(schema['maxItems']) ?? 1_000)
  return Array.from({ length }, () => example(schema['items'] ?? { type: 'string' }, root, depth + 1))
}

/** All required and all described fields. */
function exampleObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = objectOf(schema['properties'])
  const required = listOf(schema['required']).map(textOf)
  const names = new Set([...required, ...(depth < 3 ? Object.keys(properties) : [])])
  return Object.fromEntries(
    [...names].map((name) => [name, example(properties[name] ?? { type: 'string' }, root, depth + 1)]),
  )
}

function exampleNumber(schema: JsonObject): number {
  const step = numberOf(schema['multipleOf']) ?? 1
  const least = numberOf(schema['minimum']) ?? numberOf(schema['exclusiveMinimum'])
  const most = numberOf(schema['maximum']) ?? numberOf(schema['exclusiveMaximum'])
  if (least !== undefined) {
    const value = Math.ceil(least / step) * step
    return value === numberOf(schema['exclusiveMinimum']) ? value + step : value
  }
  if (most === undefined || most > step) return step
  const value = Math.floor(most / step) * step
  return value === numberOf(schema['exclusiveMaximum']) ? value - step : value
}

function exampleText(schema: JsonObject): string {
  const text = FORMATS[textOf(schema['format'])] ?? SAMPLE_TEXT
  return text.padEnd(numberOf(schema['minLength']) ?? 0, '.').slice(0, numberOf(schema['maxLength']))
}

function typeOf(schema: JsonObject): string {
  const [type = ''] = [schema['type']].flat()
  if (typeof type === 'string' && type !== '') return type
  return schema['properties'] !== undefined || schema['required'] !== undefined ? 'object' : 'string'
}

/** Resolves references and all parts of an `allOf`. */
function merged(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return {}
  const parts = [lookUp(textOf(schema['$ref']), root), ...listOf(schema['allOf'])].filter(isObject)
  return parts
    .map((part) => merged(part, root, depth + 1))
    .reduce((whole, part) => join(whole, part), without(without(schema, '$ref'), 'allOf'))
}

function join(a: JsonObject, b: JsonObject): JsonObject {
  const properties = { ...objectOf(a['properties']), ...objectOf(b['properties']) }
  const required = [...listOf(a['required']), ...listOf(b['required'])]
  return {
    ...b,
    ...a,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

function lookUp(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith('#')) return undefined
  const keys = reference.split('/').slice(1)
  return keys.reduce<unknown>(
    (value, key) => objectOf(value)[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')],
    root,
  )
}

function without(schema: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key))
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
