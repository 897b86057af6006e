import {
  decodeBase64,
  encodeBase64Text,
  findKind,
  KINDS,
  MAX_OUTPUT_SCHEMA_BYTES,
  persona,
  pool,
  token,
  type Kind,
} from '@skein/contract'
import { describe, expect, test } from 'vitest'
import {
  decideWrite,
  decodePayload,
  draftWrite,
  NO_CEILING,
  toPayload,
  type Caller,
  type StoredResource,
  type WriteCommand,
  type WriteDecision,
} from '../src/index.ts'
import { serverSetFields } from '../src/catalog/document.ts'
import { callerAs } from './caller.ts'

const admin = callerAs('admin')
const operator = callerAs('operator')
const everythingExists = () => true
const refusal = (reason: string): unknown => expect.objectContaining({ reason })

const payloadOf = (document: unknown) => decodePayload(encodeBase64Text(JSON.stringify(document)))

interface Write extends Partial<Omit<WriteCommand, 'payload'>> {
  readonly document?: unknown
  readonly stored?: StoredResource
  readonly caller?: Caller
}

function draft({ document, stored, caller = admin, ...command }: Write) {
  const payload = document === undefined ? undefined : payloadOf(document)
  const defaults = { kind: persona, name: 'mine', updateMask: '', ifGenerationMatch: undefined }
  return draftWrite({ ...defaults, ...command, payload }, stored, caller, NO_CEILING)
}

function write(request: Write, exists = everythingExists): WriteDecision {
  return decideWrite(draft(request), exists, { now: 0, newKeyId: 'fresh' })
}

const tokenOf = (role: string) => ({ ...token.example, role })

const fieldsOf = (outputSchema: string) =>
  draft({ document: { outputSchema } }).violations.map(({ field }) => field)

describe('a write', () => {
  test('takes the example of every kind', () => {
    for (const kind of KINDS) {
      const command = { kind, name: 'default', document: kind.example, caller: operator }
      expect(write(command).action).toBe('created')
    }
  })

  test('creates at generation 1, updates at the next, and counts on after a delete', () => {
    const document = { description: 'x' }
    expect(write({ document })).toMatchObject({ action: 'created', generation: 1n })
    const stored = { generation: 4n, document }
    expect(write({ document, stored })).toMatchObject({ action: 'updated', generation: 5n })
    const gone = { generation: 5n, document: undefined }
    expect(write({ document, stored: gone })).toMatchObject({ action: 'created', generation: 6n })
  })

  test('proceeds only at the requested generation, where 0 means that none exists', () => {
    const document = { description: 'x' }
    const stored = { generation: 4n, document }
    const gone = { generation: 5n, document: undefined }
    expect(write({ document, ifGenerationMatch: 0n }).generation).toBe(1n)
    expect(write({ document, stored: gone, ifGenerationMatch: 0n }).generation).toBe(6n)
    expect(write({ document, stored, ifGenerationMatch: 4n }).generation).toBe(5n)
    for (const [found, expected] of [
      [undefined, 1n],
      [gone, 5n],
      [stored, 0n],
      [stored, 3n],
    ] as const) {
      const request = { document, ifGenerationMatch: expected, ...(found && { stored: found }) }
      expect(() => write(request)).toThrow(refusal('GENERATION_MISMATCH'))
    }
  })

  test('without a mask needs a payload; a patch without one resets what it masks', () => {
    const stored = { generation: 1n, document: { description: 'kept', model: 'm', tasks: [] } }
    expect(() => write({ stored })).toThrow(refusal('DOCUMENT_INVALID'))
    expect(() => write({ stored, updateMask: '*' })).toThrow(refusal('DOCUMENT_INVALID'))
    expect(write({ stored, updateMask: 'model' }).document).toMatchObject({ description: 'kept', model: '' })
  })

  test.each(['modell', 'tasks.0', 'description.x', 'model,,tasks', '*,model', '__proto__', 'constructor'])(
    'with the mask %j is refused',
    (updateMask) => {
      const stored = { generation: 1n, document: { description: 'x' } }
      expect(() => write({ stored, updateMask, document: {} })).toThrow(refusal('UPDATE_MASK_INVALID'))
    },
  )

  test('that patches a missing resource gets not found, and one that patches a built-in creates a shadow', () => {
    const gone = { generation: 2n, document: undefined }
    expect(() => write({ updateMask: 'model', document: {} })).toThrow(refusal('RESOURCE_NOT_FOUND'))
    expect(() => write({ updateMask: 'model', document: {}, stored: gone })).toThrow(
      refusal('RESOURCE_NOT_FOUND'),
    )
    const shadow = write({ name: 'default', updateMask: 'model', document: { model: 'm' } })
    expect(shadow).toMatchObject({ action: 'created', generation: 1n, document: { model: 'm' } })
    expect(shadow.document['prompt']).toContain('careful')
  })

  test('of a patch with a misspelt field is refused, because the field that was meant would be reset', () => {
    const stored = { generation: 1n, document: { description: 'x' } }
    expect(() => write({ stored, updateMask: 'model', document: { modle: 'm' } })).toThrow(
      expect.objectContaining({
        reason: 'DOCUMENT_INVALID',
        violations: [expect.objectContaining({ field: 'modle' })],
      }),
    )
  })

  test('ignores what only the service sets, in the payload and in the mask', () => {
    const stored = { generation: 1n, document: { ...token.example, keyId: 'first' } }
    const theirs = { ...token.example, keyId: 'forged', key: 'forged', metadata: { generation: '99' } }
    expect(write({ kind: token, stored, document: theirs }).document).toEqual(stored.document)
    const masked = { kind: token, stored, document: theirs, updateMask: 'keyId,metadata.generation,metadata' }
    expect(write(masked).document).toEqual(stored.document)
    expect(write({ kind: token, document: theirs }).document).toMatchObject({ keyId: 'fresh' })
    expect(write({ kind: token, document: theirs }).document).not.toHaveProperty('key')
  })

  test('of a map’s key changes that key alone, and resets it when the payload lacks it', () => {
    const stored = { generation: 1n, document: { variables: { A: '1', B: '2', toString: '3' } } }
    const kind = kindNamed('environment')
    const patched = write({
      kind,
      stored,
      updateMask: 'variables.A,variables.B',
      document: { variables: { A: '' } },
    })
    expect(patched.document['variables']).toEqual({ A: '', toString: '3' })
  })

  test('reports everything wrong together: broken rules of the kind and missing references', () => {
    const document = { ...token.example, pools: ['gone'] }
    expect(() => write({ kind: token, document }, () => false)).toThrow(
      expect.objectContaining({
        reason: 'DOCUMENT_INVALID',
        violations: [
          { field: 'pools', description: 'only for the role runner' },
          { field: 'pools[0]', description: 'pool gone not found' },
        ],
      }),
    )
  })

  test('of a document that breaks its schema asks for no reference, however many it names', () => {
    const pools = Array.from({ length: 100_000 }, (_, index) => `p${index}`)
    const drafted = draft({ kind: token, document: { ...token.example, role: 'runner', pools } })
    expect(drafted.violations.length).toBeGreaterThan(0)
    expect(drafted.references).toEqual([])
  })

  test('of a persona may have an output schema of 64 KiB in UTF-8 and not a byte more', () => {
    const largest = '{}'.padEnd(MAX_OUTPUT_SCHEMA_BYTES, ' ')
    expect(fieldsOf(largest)).toEqual([])
    expect(fieldsOf(`${largest} `)).toContain('outputSchema')
    expect(fieldsOf(`{"const":"${'é'.repeat(MAX_OUTPUT_SCHEMA_BYTES / 2)}"}`)).toContain('outputSchema')
  })

  test.each([5_000, 19_000])('of a document %d levels deep is refused, not a crash', (depth) => {
    for (const kind of KINDS) {
      for (const field of writableFields(kind)) {
        for (const text of nestings(depth)) {
          const encoded = encodeBase64Text(`{"${field}":${text}}`)
          const command = { kind, name: 'default', updateMask: '', ifGenerationMatch: undefined }
          expect(() => {
            const payload = decodePayload(encoded)
            const deep = draftWrite({ ...command, payload }, undefined, operator, NO_CEILING)
            decideWrite(deep, everythingExists, { now: 0, newKeyId: 'x' })
          }, `${kind.kind}.${field}`).toThrow(refusal('DOCUMENT_INVALID'))
        }
      }
    }
  })

  test('of a token needs permission to grant both its old and its new role', () => {
    expect(() => write({ kind: token, document: tokenOf('operator') })).toThrow(refusal('ROLE_NOT_GRANTABLE'))
    expect(() => write({ kind: token, document: tokenOf('run') })).toThrow(refusal('ROLE_NOT_GRANTABLE'))
    expect(() => write({ kind: token, document: tokenOf('guest') })).toThrow(refusal('ROLE_NOT_GRANTABLE'))
    const stored = { generation: 1n, document: tokenOf('operator') }
    expect(() => write({ kind: token, document: tokenOf('viewer'), stored })).toThrow(
      refusal('ROLE_NOT_GRANTABLE'),
    )
    expect(
      write({ kind: token, document: tokenOf('viewer'), stored, caller: callerAs('operator') }).action,
    ).toBe('updated')
  })

  test('of a token that serves every tenant is for an operator alone', () => {
    const document = { ...token.example, role: 'runner', allTenants: true }
    expect(() => write({ kind: token, document })).toThrow(refusal('ROLE_NOT_GRANTABLE'))
    expect(write({ kind: token, document, caller: callerAs('operator') }).action).toBe('created')
  })

  test('that leaves the owner’s provider open means the caller’s', () => {
    const document = { account: 'ci', role: 'member' }
    expect(write({ kind: token, document }).document['ownerProvider']).toBe(admin.ownerProvider)
  })
})

const read = (payload: string): Record<string, unknown> => {
  const bytes = decodeBase64(payload)
  if (!bytes) throw new Error('not base64')
  return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
}

describe('an answer', () => {
  const facts = { name: 'x', generation: 2n, createdAt: 0, updatedAt: 1000, updatedBy: 'ada' }
  test('has the fields in the order of the reference, then what the service knows', () => {
    const document = { build: { name: '' }, description: '', maxRuns: 1 }
    const answer = read(toPayload(pool, document, facts))
    expect(Object.keys(answer)).toEqual(['description', 'maxRuns', 'build', 'metadata'])
    expect(answer['metadata']).toEqual({
      name: 'x',
      createTime: '1970-01-01T00:00:00.000Z',
      updateTime: '1970-01-01T00:00:01.000Z',
      updatedBy: 'ada',
      generation: '2',
    })
  })

  test('carries a one-time secret only when it is handed one, and only for a kind that has one', () => {
    expect(read(toPayload(token, token.example, facts, 'skn_secret'))['key']).toBe('skn_secret')
    expect(read(toPayload(token, token.example, facts))).not.toHaveProperty('key')
    expect(toPayload(persona, persona.example, facts, 'skn_secret')).toBe(
      toPayload(persona, persona.example, facts),
    )
  })
})

function kindNamed(name: string): Kind {
  const kind = findKind(name)
  if (!kind) throw new Error(`There is no kind ${name}`)
  return kind
}

function writableFields(kind: Kind): string[] {
  const serverSet = serverSetFields(kind)
  return Object.keys(kind.schema.properties).filter((field) => !serverSet.includes(field))
}

function nestings(depth: number): string[] {
  const lists = '['.repeat(depth) + ']'.repeat(depth)
  const maps = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
  return [lists, maps, `[${maps}]`, `{"name":"","features":[${maps}]}`]
}
