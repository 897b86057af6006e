import { beforeAll, describe, expect, it } from 'vitest'
import {
  CODES,
  generateOpenApi,
  OPERATIONS,
  reasonsOf,
  REASONS,
  type Operation,
  type ReasonEntry,
} from '../src/index.ts'
import { isJson, objectsWithin, type Json } from './schema-walk.ts'

const JSON_SCHEMA_WORDS = new Set(
  (
    'type properties required additionalProperties patternProperties items enum const anyOf description default ' +
    'format pattern minLength maxLength minimum maximum exclusiveMinimum minItems maxItems uniqueItems ' +
    'maxProperties propertyNames contentEncoding readOnly writeOnly examples discriminator $ref'
  ).split(' '),
)

const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((part, key) => (isJson(part) ? part[key] : undefined), value)

const fieldsOf = (value: unknown): [string, unknown][] => (isJson(value) ? Object.entries(value) : [])

const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const parametersOf = (operation: unknown): unknown[] => itemsOf(at(operation, 'parameters'))

const operations: readonly Operation[] = OPERATIONS

describe('the OpenAPI document', () => {
  let document: Json
  beforeAll(() => {
    document = generateOpenApi('1.2.3')
  })

  it('is plain JSON: nothing is lost when it is written to a file', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
    for (const { path, object } of objectsWithin(document)) {
      for (const [key, value] of Object.entries(object)) expect(value, `${path}/${key}`).not.toBeUndefined()
    }
  })

  it('is the same whenever it is generated', () => {
    expect(JSON.stringify(generateOpenApi('1.2.3'))).toBe(JSON.stringify(document))
  })

  it('has the parts that OpenAPI 3.1 requires', () => {
    expect(document['openapi']).toBe('3.1.0')
    expect(document['info']).toMatchObject({ title: 'Skein', version: '1.2.3' })
    expect(at(document, 'components', 'securitySchemes', 'apiKey')).toMatchObject({
      type: 'http',
      scheme: 'bearer',
    })
  })

  it('resolves every reference, and leaves no schema id inside', () => {
    let count = 0
    for (const { path, object } of objectsWithin(document)) {
      expect(`${path} ${Object.hasOwn(object, '$id')}`).toBe(`${path} false`)
      const reference = object['$ref']
      if (typeof reference !== 'string') continue
      count += 1
      expect(reference).toMatch(/^#\/components\/(schemas|headers)\/[A-Za-z0-9._-]+$/)
      expect(at(document, ...reference.slice(2).split('/')), `${path} → ${reference}`).toBeDefined()
    }
    expect(count).toBeGreaterThan(100)
  })

  it('declares the headers that an operation reads and answers with', () => {
    const headersOf = (path: string, method = 'post') =>
      parametersOf(at(document, 'paths', path, method)).flatMap((part) =>
        at(part, 'in') === 'header' ? [at(part, 'name')] : [],
      )
    expect(headersOf('/v1/agent/wait')).toEqual(['Prefer'])
    expect(headersOf('/v1/agent/watch')).toEqual(['Last-Event-ID', 'Skein-Position'])
    expect(headersOf('/v1/fleet/watch')).toEqual(['Last-Event-ID'])
    expect(headersOf('/v1/agent/spawn')).toEqual(['Idempotency-Key', 'X-Skein-Justification'])
    const answers = at(document, 'paths', '/v1/agent/spawn', 'post', 'responses')
    expect(Object.keys(at(answers, '200', 'headers') ?? {})).toEqual([
      'X-Request-Id',
      'Idempotent-Replay',
      'Skein-Position',
    ])
    expect(Object.keys(at(answers, '401', 'headers') ?? {})).toContain('WWW-Authenticate')
    expect(Object.keys(at(answers, '429', 'headers') ?? {})).toContain('Retry-After')
  })

  it('says by which field the parts of a union differ', () => {
    expect(at(document, 'components', 'schemas', 'TimelineEvent', 'discriminator')).toMatchObject({
      propertyName: 'type',
      mapping: { 'run.ended': '#/components/schemas/TimelineEventRunEnded' },
    })
  })

  it('describes maps by their values, which every generator reads', () => {
    const labels = at(document, 'components', 'schemas', 'SpawnAgentRequest', 'properties', 'labels')
    expect(labels).toMatchObject({ type: 'object', additionalProperties: { type: 'string' } })
    expect(JSON.stringify(document)).not.toContain('patternProperties')
  })

  it('describes every tag', () => {
    for (const tag of itemsOf(document['tags'])) expect(at(tag, 'description')).toMatch(/^[A-Z].*\.$/)
  })

  it('uses every schema that it defines', () => {
    const text = JSON.stringify(document)
    const schemas = at(document, 'components', 'schemas')
    for (const [name] of fieldsOf(schemas)) {
      expect(text).toContain(`"#/components/schemas/${name}"`)
    }
  })

  it('uses only words of JSON Schema, and extensions under our own name', () => {
    const check = (schema: unknown, path: string): void => {
      if (!isJson(schema)) return
      for (const [word, value] of Object.entries(schema)) {
        expect(JSON_SCHEMA_WORDS.has(word) || word.startsWith('x-skein-'), `${path}/${word}`).toBe(true)
        if (word === 'properties' || word === 'patternProperties') {
          for (const [name, property] of fieldsOf(value)) check(property, `${path}.${name}`)
        }
        if (word === 'items' || word === 'additionalProperties') check(value, `${path}/${word}`)
        if (word === 'anyOf' && Array.isArray(value)) for (const part of value) check(part, `${path}/anyOf`)
      }
    }
    const schemas = at(document, 'components', 'schemas')
    for (const [name, schema] of fieldsOf(schemas)) check(schema, name)
  })

  it('has every operation of the table, and no other', () => {
    const listed = fieldsOf(at(document, 'paths')).flatMap(([path, item]) =>
      fieldsOf(item).map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    expect(listed.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'documents %s with its parameters, an example and each error it can give',
    (id, operation) => {
      const entry = at(document, 'paths', operation.path, operation.method.toLowerCase())
      expect(entry).toMatchObject({ operationId: id, summary: operation.summary, tags: [operation.tag] })

      const parameters = at(entry, 'parameters')
      const inPath = (Array.isArray(parameters) ? parameters : []).filter((part) => at(part, 'in') === 'path')
      expect(inPath.map((part) => `{${String(at(part, 'name'))}}`)).toEqual(
        operation.path.match(/\{[^}]+\}/g) ?? [],
      )
      for (const part of inPath) expect(at(part, 'required')).toBe(true)

      const media = fieldsOf(
        at(entry, 'responses', String(operation.successStatus ?? 200), 'content'),
      )[0]?.[1]
      expect(at(media, 'schema')).toBeDefined()
      expect(at(media, 'example')).toBeDefined()
      expect(at(entry, 'requestBody', 'content', 'application/json', 'example')).toEqual(
        operation.example.request,
      )

      const documented = fieldsOf(at(entry, 'responses')).flatMap(([status, response]) => {
        const reasons = at(response, 'x-skein-reasons')
        return Array.isArray(reasons) ? reasons.map((reason) => `${status} ${String(reason)}`) : []
      })
      const expected = reasonsOf(operation).map((reason) => {
        const { httpStatus, code }: ReasonEntry = REASONS[reason]
        return `${httpStatus ?? CODES[code].httpStatus} ${reason}`
      })
      expect(documented.sort()).toEqual(expected.sort())
    },
  )
})
