import type { FieldViolation, Operation } from '@skein/contract'

/** Query strings are text: converts values to the number or boolean the schema expects. */
export function readQuery(schema: Operation['query'], query: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query ?? {}).map(([name, value]): [string, unknown] => [
      name,
      typeof value === 'string' ? convert(typeOf(schema, name), value) : value,
    ]),
  )
}

function typeOf(schema: Operation['query'], name: string): unknown {
  const property: unknown =
    schema && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  return typeof property === 'object' && property !== null && 'type' in property ? property.type : undefined
}

function convert(type: unknown, text: string): unknown {
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Same rule as for text in a body: PostgreSQL cannot store NUL. */
export function nulViolations(query: Readonly<Record<string, unknown>>): FieldViolation[] {
  return Object.entries(query)
    .filter(([, value]) => typeof value === 'string' && value.includes('\0'))
    .map(([field]) => ({ field, description: 'must not contain a NUL character' }))
}
