import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MAX_DESCRIPTION_BYTES,
  queueFollowUp,
  SpawnAgentRequest,
  stopTurn,
  updateTasks,
  validatorFor,
  writeResource,
  listTasks,
} from '../src/index.ts'

const spawn = validatorFor(SpawnAgentRequest)
const fieldsOf = (value: unknown): string[] => spawn.violations(value).map(({ field }) => field)
const UNKNOWN_FIELD = 'unknown field: check its spelling, or leave it out'

describe('validation', () => {
  it('reports every mistake together, each with its position', () => {
    const violations = spawn.violations({
      agentId: { tenant: { provider: 'PROVIDER_NOBODY' }, agent: ['ok', 'Not-Ok'] },
      tasks: [{ subject: 'fine' }, { status: 'DONE' }],
      maxCost: -1,
      fastMode: 'yes',
      labels: { team: 7 },
      colour: 'blue',
    })
    expect(violations.map(({ field }) => field).sort()).toEqual([
      'agentId.agent[1]',
      'agentId.tenant.provider',
      'colour',
      'description',
      'fastMode',
      'labels.team',
      'maxCost',
      'tasks[1].status',
      'tasks[1].subject',
    ])
    expect(violations).toContainEqual({ field: 'description', description: 'required' })
    expect(violations).toContainEqual({ field: 'colour', description: UNKNOWN_FIELD })
  })

  it('treats a number as an index in a list and as a key in an object', () => {
    expect(fieldsOf({ description: 'x', tasks: [{}] })).toEqual(['tasks[0].subject'])
    expect(fieldsOf({ description: 'x', labels: { 0: 7 } })).toEqual(['labels.0'])
  })

  it('reports the names of unknown fields as they were sent', () => {
    const taken = new Set(Object.keys(SpawnAgentRequest.properties))
    const name = fc.oneof(fc.string(), fc.string({ unit: 'binary' })).filter((key) => !taken.has(key))
    fc.assert(
      fc.property(name, (key) => {
        const body: unknown = JSON.parse(`{"description":"x",${JSON.stringify(key)}:1}`)
        expect(spawn.violations(body)).toEqual([{ field: key, description: UNKNOWN_FIELD }])
      }),
    )
  })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty'])(
    'reports the key %s like any other unknown field, at every level',
    (key) => {
      const part = `{${JSON.stringify(key)}:{"polluted":true}}`
      const body: unknown = JSON.parse(
        `{"description":"x","tasks":[{"subject":"s",${part.slice(1)}],${part.slice(1, -1)}}`,
      )
      expect(fieldsOf(body).sort()).toEqual([key, `tasks[0].${key}`].sort())
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    },
  )

  it('is not fooled by a required field that is only inherited', () => {
    const body: unknown = JSON.parse('{"__proto__":{"description":"x"}}')
    expect(fieldsOf(body).sort()).toEqual(['__proto__', 'description'])
  })

  it('never throws, whatever JSON it is given', () => {
    const validators = [SpawnAgentRequest, stopTurn.body, updateTasks.body, writeResource.body]
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...validators), (value, schema) => {
        for (const violation of validatorFor(schema).violations(value)) {
          expect(violation.description).not.toBe('')
        }
      }),
    )
  })

  it('lists at most 100 mistakes', () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]))
    expect(spawn.violations({ description: 'x', ...unknown })).toHaveLength(100)
    expect(
      spawn.violations({ description: 'x', tasks: Array.from({ length: 400 }, () => ({})) }),
    ).toHaveLength(100)
  })

  it('answers a hostile body with one sentence, instead of listing what is wrong with it', () => {
    const body = { description: 'x', tasks: Array.from({ length: 100_000 }, () => ({})) }
    expect(spawn.violations(body).map(({ description }) => description)).toEqual([
      'invalid, and too large to say where (more than 20000 fields and items)',
    ])
  })

  it('survives a value that is nested deeper than the stack', () => {
    let deep: unknown = 'bottom'
    for (let depth = 0; depth < 200_000; depth++) deep = [deep]
    expect(spawn.violations({ description: 'x', deep })).toHaveLength(1)
    expect(spawn.withDefaults({ description: 'x', deep })).toHaveProperty('description', 'x')
  })

  it('answers with the same validator for the same schema', () => {
    expect(validatorFor(SpawnAgentRequest)).toBe(spawn)
  })
})

const euros = (count: number) => ({ description: '€'.repeat(count) })

describe('limits on size', () => {
  it('counts the bytes of a description, not its characters', () => {
    expect(spawn.violations(euros(Math.floor(MAX_DESCRIPTION_BYTES / 3)))).toEqual([])
    expect(spawn.violations(euros(Math.ceil(MAX_DESCRIPTION_BYTES / 3)))).toEqual([
      { field: 'description', description: 'must not be larger than 262144 bytes' },
    ])
    expect(spawn.violations({ description: 'x'.repeat(MAX_DESCRIPTION_BYTES) })).toEqual([])
  })

  it('holds for a follow-up’s message and for an output schema too', () => {
    const large = { agentId: {}, description: '€'.repeat(100_000), outputSchema: '€'.repeat(30_000) }
    const { violations } = validatorFor(queueFollowUp.body)
    expect(violations(large).map(({ field }) => field)).toEqual(['description', 'outputSchema'])
  })
})

const hint = (value: unknown): string | undefined =>
  validatorFor(writeResource.body)
    .violations(value)
    .map(({ description }) => description)[0]

describe('hints', () => {
  it('say what to write instead', () => {
    expect(hint({ ifGenerationMatch: '-1' })).toBe('must be 0 or more')
    expect(hint({ ifGenerationMatch: '9223372036854775808' })).toContain('64-bit integer')
    expect(hint({ payload: 'A' })).toBe('must be base64')
    expect(hint({ ref: { tenant: { provider: 'X' } } })).toContain('PROVIDER_CODEHOST_APP')
    expect(validatorFor(queueFollowUp.body).violations({ agentId: {}, deliverAt: 'soon' })).toEqual([
      { field: 'deliverAt', description: 'must be an RFC 3339 timestamp such as 2026-11-15T09:30:00Z' },
    ])
    expect(validatorFor(listTasks.body).violations({ agentId: { agent: ['A'] } })).toEqual([
      {
        field: 'agentId.agent[0]',
        description: 'must be 1 to 63 of a-z, 0-9 and -, with a letter or digit at both ends',
      },
    ])
  })
})

describe('output-only fields', () => {
  it('of a task may be sent back as they were read', () => {
    const task = updateTasks.example.response.tasks[0]
    expect(validatorFor(updateTasks.body).violations({ agentId: {}, tasks: [task] })).toEqual([])
    expect(spawn.violations({ description: 'x', tasks: [task] })).toEqual([])
  })
})
