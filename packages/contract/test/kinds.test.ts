import { describe, expect, it } from 'vitest'
import { findKind, KINDS, publishedSchema, validatorFor, type Kind } from '../src/index.ts'
import { REFERENCE } from '../src/facts.ts'
import { isJson, objectsWithin, propertiesWithin } from './schema-walk.ts'

const named = KINDS.map((kind) => [kind.kind, kind] as const)

function referencesOf(kind: Kind): string[] {
  return [...objectsWithin(kind.schema)].flatMap(({ object }) => {
    const target = object[REFERENCE]
    return typeof target === 'string' ? [target] : []
  })
}

function propertyNames(schema: unknown): string[] {
  return [...propertiesWithin(schema)].map(({ name }) => name)
}

function violationsOf(name: string, document: Record<string, unknown>): string[] {
  const schema = findKind(name)?.schema
  if (!schema) throw new Error(`no kind ${name}`)
  const validator = validatorFor(schema)
  return validator.violations(validator.withDefaults(document)).map(({ field }) => field)
}

function requiredPart(kind: Kind): Record<string, unknown> {
  const required: readonly string[] = kind.schema.required ?? []
  const hasDefault = (name: string): boolean => 'default' in (kind.schema.properties[name] ?? {})
  return Object.fromEntries(
    required.filter((name) => !hasDefault(name)).map((name) => [name, kind.example[name]]),
  )
}

describe('the kinds', () => {
  it('are those that the catalog promises, each once', () => {
    expect(KINDS.map(({ kind }) => kind).sort()).toEqual([
      'backend',
      'budget',
      'ceiling',
      'code-host',
      'directory',
      'environment',
      'identity-provider',
      'integration',
      'persona',
      'pool',
      'profile',
      'quota',
      'schedule',
      'secret',
      'share-link',
      'team',
      'token',
      'trigger',
      'vm-profile',
      'workload-identity',
      'workspace',
    ])
  })

  it('are found by name, and nothing else is', () => {
    for (const kind of KINDS) expect(findKind(kind.kind)).toBe(kind)
    for (const name of ['', 'workspaces', '__proto__', 'constructor']) expect(findKind(name)).toBeUndefined()
  })

  it('refer to each other without a cycle, because catalog writes lock along the references', () => {
    const done = new Set<string>()
    const visit = (kind: Kind, above: readonly string[]): void => {
      expect(above, `${[...above, kind.kind].join(' → ')} is a cycle`).not.toContain(kind.kind)
      if (done.has(kind.kind)) return
      for (const target of referencesOf(kind)) {
        const next = findKind(target)
        if (next) visit(next, [...above, kind.kind])
      }
      done.add(kind.kind)
    }
    for (const kind of KINDS) visit(kind, [])
    expect(done.size).toBe(KINDS.length)
  })
})

describe.each(named)('kind %s', (_name, kind) => {
  const validator = validatorFor(kind.schema)

  it('has a name that fits into a path, and a summary', () => {
    expect(kind.kind).toMatch(/^[a-z][a-z-]*[a-z]$/)
    expect(kind.summary).toMatch(/^[A-Z].*\.$/)
  })

  it('accepts its own example, which is complete', () => {
    expect(validator.violations(kind.example)).toEqual([])
    expect(validator.withDefaults(kind.example)).toEqual(kind.example)
  })

  it('fills a document with only the required fields up to a valid one', () => {
    const filled = validator.withDefaults(requiredPart(kind))
    expect(validator.violations(filled)).toEqual([])
  })

  it('fills in defaults without touching the document it was given', () => {
    const given = Object.freeze(requiredPart(kind))
    expect(Object.keys(given)).toEqual(Object.keys(requiredPart(kind)))
    const [first, second] = [validator.withDefaults(given), validator.withDefaults(given)]
    for (const { object } of objectsWithin(first)) Object.assign(object, { scribble: true })
    expect(JSON.stringify(second)).not.toContain('scribble')
    expect(JSON.stringify(validator.withDefaults(given))).not.toContain('scribble')
  })

  it('describes every field of its documents', () => {
    for (const property of Object.values(kind.schema.properties)) {
      expect(property).toHaveProperty('description')
    }
  })

  it('refuses unknown fields at every level', () => {
    const open = [...objectsWithin(kind.schema)]
      .filter(({ object }) => object['type'] === 'object' && object['additionalProperties'] !== false)
      .map(({ path }) => path)
    expect(open).toEqual(['#/properties/metadata'])
  })

  it('names a body field that exists if people write it as Markdown, and only then', () => {
    expect(kind.bodyField !== undefined).toBe(kind.inputFormat === 'INPUT_FORMAT_MARKDOWN')
    if (kind.bodyField === undefined) return
    expect(kind.schema.properties[kind.bodyField]).toMatchObject({ type: 'string' })
  })

  it('carries a one-time secret only in a field that callers cannot write', () => {
    if (kind.oneTimeSecret === undefined) return
    expect(kind.schema.properties[kind.oneTimeSecret]).toMatchObject({ type: 'string', readOnly: true })
    expect(kind.schema.required).not.toContain(kind.oneTimeSecret)
    expect(kind.example).not.toHaveProperty(kind.oneTimeSecret)
  })

  it('requires nothing that the service itself fills in', () => {
    const required: readonly string[] = kind.schema.required ?? []
    const readOnly = required.filter((name) => 'readOnly' in (kind.schema.properties[name] ?? {}))
    expect(readOnly).toEqual([])
  })

  it('refers only to kinds that exist', () => {
    for (const target of referencesOf(kind)) expect(KINDS.map((other) => other.kind)).toContain(target)
  })

  it('publishes a JSON Schema that lets people leave out what has a default', () => {
    const schema = publishedSchema(kind)
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
    for (const { path, object } of objectsWithin(schema)) {
      expect(`${path} ${Object.hasOwn(object, '$id')}`).toBe(`${path} false`)
      const { required = [], properties = {} } = object
      if (!Array.isArray(required) || !isJson(properties)) continue
      for (const name of required) expect(properties[String(name)]).not.toHaveProperty('default')
    }
    expect(propertyNames(schema)).toEqual(propertyNames(kind.schema))
  })
})

describe('documents', () => {
  it('cannot set a negative length of time', () => {
    expect(violationsOf('vm-profile', { runTimeLimit: '-1s' })).toEqual(['runTimeLimit'])
    expect(violationsOf('token', { account: 'ci', role: 'member', overlap: '-1s' })).toEqual(['overlap'])
  })

  it('are refused, not tripped over, when a map has a key that its schema forbids', () => {
    expect(violationsOf('environment', { variables: { 'no-dash': 'x' } })).toEqual(['variables.no-dash'])
  })

  it('cannot name a variable __proto__', () => {
    const variables: unknown = JSON.parse('{"__proto__":"x","constructor":"y"}')
    expect(violationsOf('environment', { variables })).toEqual(['variables.__proto__'])
  })
})
