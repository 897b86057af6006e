import type { Kind } from '@skein/contract'
import * as fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>

const fields = (value: unknown): Schema => (typeof value === 'object' && value !== null ? { ...value } : {})

/** Few names, so that documents, patches and masks often meet at the same key. */
const MAP_KEYS = ['A', 'B', 'NPM_TOKEN', 'constructor', 'toString', '_', 'team']

/** A value that the schema accepts: read off the schema itself, so that a new kind is covered automatically. */
function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  const choices: unknown = schema['enum']
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]))
  switch (schema['type']) {
    case 'string':
      return textOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'array':
      return listOf(schema)
    default:
      return schema['patternProperties'] === undefined ? objectOf(schema) : mapOf(schema)
  }
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc.constantFrom('2026-11-15T09:30:00Z', '1999-12-31T23:59:59.999+02:00'),
  'google-duration': fc.constantFrom('0s', '1.5s', '3600s'),
  int64: fc.constantFrom('0', '7', '9223372036854775807'),
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern, minLength } = schema
  const formatted = FORMATS[String(format)]
  if (formatted) return formatted
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern), { size: 'small' })
  return fc.string({
    minLength: typeof minLength === 'number' ? minLength : 0,
    maxLength: 12,
    unit: 'grapheme',
  })
}

function numberOf({ type, minimum, exclusiveMinimum, maximum }: Schema): fc.Arbitrary<number> {
  const min = Number(minimum ?? exclusiveMinimum ?? 0)
  const max = Math.min(Number(maximum ?? 1000), min + 1000)
  if (type === 'integer') return fc.integer({ min, max })
  return fc.integer({ min: Math.ceil(min * 4) + 1, max: Math.floor(max * 4) }).map((quarters) => quarters / 4)
}

function listOf({ items, minItems, uniqueItems }: Schema): fc.Arbitrary<unknown[]> {
  const bounds = { minLength: Number(minItems ?? 0), maxLength: 3 }
  const item = valueOf(fields(items))
  return uniqueItems === true ? fc.uniqueArray(item, bounds) : fc.array(item, bounds)
}

function mapOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const [value] = Object.values(fields(schema['patternProperties']))
  return fc.dictionary(mapKeyOf(schema), valueOf(fields(value)), { maxKeys: 4, noNullPrototype: true })
}

function mapKeyOf(schema: Schema): fc.Arbitrary<string> {
  const [pattern = ''] = Object.keys(fields(schema['patternProperties']))
  return fc.constantFrom(...MAP_KEYS.filter((key) => new RegExp(pattern).test(key)))
}

function objectOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const model = Object.fromEntries(
    Object.entries(fields(schema['properties'])).map(([name, property]) => [name, valueOf(fields(property))]),
  )
  return fc.record(model, { requiredKeys: required, noNullPrototype: true })
}

/** Makes it pass the rules of its kind too, which no schema can say. */
function obeyingRules(kind: Kind, document: Record<string, unknown>): Record<string, unknown> {
  switch (kind.kind) {
    case 'token':
      return {
        ...document,
        revoked: false,
        role: ['run', 'guest', 'directory'].includes(String(document['role'])) ? 'runner' : document['role'],
        pools: document['role'] === 'runner' ? document['pools'] : [],
      }
    case 'share-link':
      return { ...document, revoked: false }
    case 'backend':
      return { ...document, models: ['m-*', 'other'], defaultModel: 'm-1' }
    case 'persona':
      return { ...document, outputSchema: '' }
    case 'schedule':
      return obeyingScheduleRules(document)
    case 'trigger':
      return obeyingTriggerRules(document)
    default:
      return document
  }
}

function obeyingScheduleRules(document: Record<string, unknown>): Record<string, unknown> {
  const { startTime: _start, endTime: _end, every: _every, send: _send, ...rest } = document
  return { ...rest, cron: '0 2 * * *', timeZone: 'UTC', jitter: '0s', spawn: { description: 'Tidy up.' } }
}

function obeyingTriggerRules(document: Record<string, unknown>): Record<string, unknown> {
  const { send: _send, ...rest } = document
  return { ...rest, verification: {}, headers: [], deliveryHeader: '', spawn: { description: 'Look.' } }
}

/** A complete, valid document, with what the service sets in it as well. */
export function documentOf(kind: Kind): fc.Arbitrary<Record<string, unknown>> {
  return objectOf(fields(kind.schema)).map((document) => obeyingRules(kind, document))
}

/** What people send in a patch: some fields, zero values among them, and things that are not theirs to set. */
export function patchOf(kind: Kind): fc.Arbitrary<Record<string, unknown>> {
  const choices = fc.array(fc.constantFrom('drop', 'zero', 'keep', 'keep'), { minLength: 16, maxLength: 16 })
  const junk = fc.constantFrom<unknown>('theirs', 7, { name: 'other' }, { generation: '99' })
  return fc.tuple(documentOf(kind), choices, junk).map(([document, choice, metadata]) => {
    const entries = Object.entries(document).flatMap(([name, value], index): [string, unknown][] => {
      if (choice[index] === 'drop') return []
      return [[name, choice[index] === 'zero' ? zeroLike(value) : value]]
    })
    return { ...Object.fromEntries(entries), metadata }
  })
}

function zeroLike(value: unknown): unknown {
  if (typeof value === 'string') return ''
  if (typeof value === 'number') return 0
  if (typeof value === 'boolean') return false
  return Array.isArray(value) ? [] : {}
}

/** A path that documents of the kind can have: a field, one within it, a key of a map. */
function pathOf(schema: Schema): fc.Arbitrary<string> {
  const properties = Object.entries(fields(schema['properties']))
  if (schema['patternProperties'] !== undefined) return mapKeyOf(schema)
  return fc.constantFrom(...properties).chain(([name, property]) => {
    const inner = fields(property)
    const isDeep = inner['patternProperties'] !== undefined || inner['properties'] !== undefined
    if (!isDeep) return fc.constant(name)
    return fc.oneof(
      fc.constant(name),
      pathOf(inner).map((rest) => `${name}.${rest}`),
    )
  })
}

export function maskOf(kind: Kind): fc.Arbitrary<string> {
  const paths = fc.array(pathOf(fields(kind.schema)), { minLength: 1, maxLength: 6 })
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('', '*') },
    { weight: 15, arbitrary: paths.map((list) => list.join(',')) },
  )
}
