import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import {
  int64FieldNames,
  OPERATIONS,
  REASONS,
  reasonsOf,
  validatorFor,
  type Operation,
} from '../src/index.ts'
import { PERMISSIONS } from '../src/facts.ts'
import { propertiesWithin } from './schema-walk.ts'

const operations: readonly Operation[] = OPERATIONS
const named = operations.map((operation) => [operation.id, operation] as const)
const nothing = validatorFor(Type.Object({}, { additionalProperties: false }))
const unique = (values: readonly string[]): boolean => new Set(values).size === values.length

describe('the operation table', () => {
  it('has each id once, and each method and path once', () => {
    expect(unique(operations.map(({ id }) => id))).toBe(true)
    expect(unique(operations.map(({ method, path }) => `${method} ${path}`))).toBe(true)
  })

  it('serves the paths that the contract names', () => {
    const served = operations.map(({ method, path }) => `${method} ${path}`)
    expect(served).toEqual(
      expect.arrayContaining([
        'POST /v1/agent/queue',
        'POST /v1/agent/queue/remove',
        'POST /v1/agent/clear-follow-ups',
        'POST /v1/agent/stop-turn',
        'POST /v1/agent/kill',
        'POST /v1/agents',
        'POST /v1/catalog/{ref.kind}/{ref.name}',
        'GET /v1/catalog/{ref.kind}/{ref.name}',
        'POST /v1/agent/spawn',
        'POST /v1/agent/status',
        'POST /v1/agent/wait',
        'GET /v1/whoami',
      ]),
    )
  })
})

describe.each(named)('%s', (_id, operation) => {
  it('says what it does, to whom it is allowed and why it can fail', () => {
    expect(operation.path).toMatch(/^\/v1\//)
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.description).toMatch(/\.$/)
    expect([...PERMISSIONS, 'none']).toContain(operation.permission)
    expect(reasonsOf(operation).length).toBeGreaterThan(0)
    expect(Object.keys(REASONS)).toEqual(expect.arrayContaining(reasonsOf(operation)))
    expect(unique(reasonsOf(operation))).toBe(true)
  })

  it('has an example request that it would accept', () => {
    expect(operation.example.request === undefined).toBe(operation.body === undefined)
    const body = operation.body ? validatorFor(operation.body) : nothing
    expect(body.violations(operation.example.request ?? {})).toEqual([])
  })

  it('has an example answer that it could give', () => {
    expect(validatorFor(operation.response).violations(operation.example.response)).toEqual([])
  })

  it('declares exactly the parameters that its path has', () => {
    const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
    expect(Object.keys(operation.params?.properties ?? {})).toEqual(inPath)
    expect(operation.params?.required ?? []).toEqual(inPath)
  })

  it('has an example path that fits its own path and parameters', () => {
    const { pathname, searchParams } = new URL(operation.example.path ?? operation.path, 'http://skein.test')
    const pattern = operation.path.replaceAll(/\{[^}]+\}/g, '[^/{}]+')
    expect(decodeURI(pathname)).toMatch(new RegExp(`^${pattern}$`, 'u'))
    const query = operation.query ? validatorFor(operation.query) : nothing
    expect(query.violations(Object.fromEntries(searchParams))).toEqual([])
  })

  it('refuses a field that it does not know', () => {
    for (const part of [operation.params, operation.query, operation.body]) {
      if (!part) continue
      const violations = validatorFor(part).violations({ surprise: 1 })
      expect(violations.map(({ field }) => field)).toContain('surprise')
    }
  })

  it('takes a body and no query as a POST, a query and no body otherwise', () => {
    expect(operation.body !== undefined || operation.acceptsAnyBody === true).toBe(
      operation.method === 'POST',
    )
    expect(operation.query !== undefined && operation.method === 'POST').toBe(false)
    expect(operation.method === 'GET' && operation.isMutation).toBe(false)
  })
})

describe('fields of 64 bits', () => {
  const names = int64FieldNames()

  it('are the ones the contract spells as integers or strings', () => {
    expect([...names].sort()).toEqual([
      'afterSequence',
      'cachedInputTokens',
      'firstSequence',
      'ifGenerationMatch',
      'inputTokens',
      'lastSequence',
      'outputTokens',
      'runId',
    ])
  })

  it.each(named)('keep their meaning wherever %s takes a field of that name', (_id, { body }) => {
    for (const { name, property } of propertiesWithin(body)) {
      expect({ name, isInt64: property['format'] === 'int64' }).toEqual({ name, isInt64: names.has(name) })
    }
  })

  it('cannot be confused with the keys of a map that a caller chooses', () => {
    for (const operation of operations) {
      for (const { property } of propertiesWithin(operation.body)) {
        for (const pattern of Object.keys(property['patternProperties'] ?? {})) {
          for (const name of names) expect(name).not.toMatch(new RegExp(pattern, 'u'))
        }
      }
    }
  })
})
