import { code, linkTo, prose } from './markdown.ts'

export type Schema = Readonly<Record<string, unknown>>

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const FORMATS: Readonly<Record<string, string>> = {
  int64: 'int64, as a string',
  'date-time': 'timestamp',
  'google-duration': 'duration',
  base64: 'base64',
}

/** Called for each named schema a text mentions, so that the page can describe it once. */
export type Mention = (name: string, schema: Schema) => void

/** A short description of the schema's type. */
export function typeText(schema: Schema, mention: Mention): string {
  const { $id: name, anyOf, type, format } = schema
  if (typeof name === 'string') {
    mention(name, schema)
    return linkTo(name)
  }
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => code(String(value))).join(', ')
  if (Array.isArray(anyOf))
    return anyOf
      .filter(isSchema)
      .map((part) => typeText(part, mention))
      .join(' or ')
  if ('const' in schema) return schema['const'] === '' ? 'empty' : code(String(schema['const']))
  if (isSchema(schema['items'])) return `list of ${typeText(schema['items'], mention)}`
  if (isSchema(schema['patternProperties'])) {
    const value = Object.values(schema['patternProperties']).find(isSchema)
    return value ? `map to ${typeText(value, mention)}` : 'map'
  }
  if (typeof format === 'string') return FORMATS[format] ?? format
  return typeof type === 'string' ? type : 'any'
}

const COUNT = new Intl.NumberFormat('en')

function number(value: unknown): string {
  return COUNT.format(Number(value))
}

/** The limits of a value, as sentences. */
export function limitText(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, maxLength, maxItems, maxProperties } = schema
  return [
    minimum === undefined || maximum === undefined ? '' : `From ${number(minimum)} to ${number(maximum)}.`,
    exclusiveMinimum === undefined
      ? ''
      : `More than ${number(exclusiveMinimum)}, at most ${number(maximum)}.`,
    sizeText(schema['x-skein-max-bytes'], maxLength),
    maxItems === undefined ? '' : `At most ${number(maxItems)} items.`,
    maxProperties === undefined ? '' : `At most ${number(maxProperties)} keys.`,
  ]
    .filter((text) => text !== '')
    .join(' ')
}

function sizeText(maxBytes: unknown, maxLength: unknown): string {
  if (maxBytes !== undefined) return `At most ${number(maxBytes)} bytes.`
  return maxLength === undefined ? '' : `At most ${number(maxLength)} characters.`
}

export interface Field {
  /** Nested fields with dots. */
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/** An object's fields, each followed by those of its unnamed nested object. */
export function fieldsOf(schema: object, prefix = ''): Field[] {
  const { properties = {}, required = [] }: Schema = { ...schema }
  if (!isSchema(properties) || !Array.isArray(required)) return []
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isSchema(property)) return []
    const name = `${prefix}${key}`
    const field = { name, schema: property, isRequired: required.includes(key) }
    return property['$id'] === undefined ? [field, ...nestedFields(property, name)] : [field]
  })
}

function nestedFields(schema: Schema, name: string): Field[] {
  const items = schema['items']
  if (isSchema(items)) return items['$id'] === undefined ? fieldsOf(items, `${name}[].`) : []
  return fieldsOf(schema, `${name}.`)
}

export function descriptionOf(schema: Schema): string {
  const { description } = schema
  return typeof description === 'string' ? prose(description) : ''
}
