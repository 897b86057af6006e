/** A JSON Schema, seen as plain JSON. */
export type Json = Readonly<Record<string, unknown>>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every object within a value, itself included, each with its path. */
export function* objectsWithin(value: unknown, path = '#'): Generator<{ path: string; object: Json }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* objectsWithin(item, `${path}/${index}`)
  } else if (isJson(value)) {
    yield { path, object: value }
    for (const [key, field] of Object.entries(value)) yield* objectsWithin(field, `${path}/${key}`)
  }
}

/** Every property that a schema declares, at any depth. */
export function* propertiesWithin(schema: unknown): Generator<{ name: string; property: Json }> {
  for (const { object } of objectsWithin(schema)) {
    const properties = object['properties']
    if (!isJson(properties)) continue
    for (const [name, property] of Object.entries(properties)) {
      if (isJson(property)) yield { name, property }
    }
  }
}
