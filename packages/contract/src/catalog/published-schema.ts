import type { Kind } from './kind.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The published JSON Schema of a kind. A stored document has every field, so our own schema requires fields that
 * have a default. People leave these out, and an editor must not mark that as a mistake.
 */
export function publishedSchema(kind: Kind): Json {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...publishObject(kind.schema) }
}

function publish(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publish)
  return isJson(value) ? publishObject(value) : value
}

function publishObject(schema: object): Json {
  const { $id: _name, required, ...rest }: { $id?: unknown; required?: unknown } = schema
  const properties = 'properties' in rest && isJson(rest.properties) ? rest.properties : {}
  const needed = Array.isArray(required)
    ? required.filter((name) => !hasDefault(properties[String(name)]))
    : []
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, publish(part)])),
    ...(needed.length > 0 && { required: needed }),
  }
}

function hasDefault(schema: unknown): boolean {
  return isJson(schema) && 'default' in schema
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
