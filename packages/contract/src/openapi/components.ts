import type { TSchema } from 'typebox'

export type Json = { [key: string]: unknown }

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** TypeBox's pattern for a map with arbitrary keys. */
const ANY_KEY = '^.*$'

/** Collects each named schema once and replaces its uses with references. */
export class Components {
  readonly #schemas = new Map<string, { source: string; json: unknown }>()

  reference(schema: TSchema): unknown {
    return this.#hoist(schema)
  }

  all(): Json {
    return Object.fromEntries(
      [...this.#schemas.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { json }]) => [name, json]),
    )
  }

  #hoist(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#hoist(item))
    if (!isJson(value)) return value
    const { $id, ...rest } = value
    if (typeof $id !== 'string') return this.#hoistFields(rest)
    const known = this.#schemas.get($id)
    // Compared by content, because Type.Optional copies the schema.
    const source = JSON.stringify(rest)
    if (known && known.source !== source) throw new Error(`Two schemas are named ${$id}`)
    if (!known) {
      const entry: { source: string; json: unknown } = { source, json: undefined }
      this.#schemas.set($id, entry)
      entry.json = { ...this.#hoistFields(rest), ...discriminator(rest) }
    }
    return { $ref: `#/components/schemas/${$id}` }
  }

  #hoistFields(fields: Json): Json {
    return Object.fromEntries(Object.entries(asMap(fields)).map(([key, field]) => [key, this.#hoist(field)]))
  }
}

/** Writes a map in the form all generators support: few know patternProperties. */
function asMap(schema: Json): Json {
  const { patternProperties, additionalProperties: _closed, ...rest } = schema
  const [entry] = isJson(patternProperties) ? Object.entries(patternProperties) : []
  if (!entry) return schema
  const [pattern, values] = entry
  return { ...rest, additionalProperties: values, ...(pattern !== ANY_KEY && { propertyNames: { pattern } }) }
}

/** Adds a discriminator to unions that have one. Without it, generated code must try all parts. */
function discriminator({ anyOf }: Json): Json {
  const parts: unknown[] = Array.isArray(anyOf) ? anyOf : []
  const mapping = parts.map((part): [string, string] => [
    constantType(part),
    `#/components/schemas/${nameOf(part)}`,
  ])
  if (mapping.length === 0 || mapping.some(([type]) => type === '')) return {}
  return { discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) } }
}

function constantType(part: unknown): string {
  const properties = isJson(part) && isJson(part['properties']) ? part['properties'] : {}
  const type = isJson(properties['type']) ? properties['type']['const'] : ''
  return typeof type === 'string' ? type : ''
}

function nameOf(part: unknown): string {
  return isJson(part) && typeof part['$id'] === 'string' ? part['$id'] : ''
}
