import * as fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { OPERATIONS, validatorFor, withoutNulls } from '../src/index.ts'

const schema = Type.Object(
  {
    name: Type.String(),
    note: Type.Optional(Type.String()),
    model: Type.String({ default: '' }),
    owner: Type.Optional(
      Type.Object({ account: Type.Optional(Type.String()), provider: Type.Optional(Type.String()) }),
    ),
    tasks: Type.Optional(
      Type.Array(Type.Object({ subject: Type.String(), id: Type.Optional(Type.String()) })),
    ),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    anything: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

describe('null', () => {
  it('is an optional field that was left out, at every level', () => {
    const sent = {
      name: 'x',
      note: null,
      model: null,
      owner: { account: null, provider: 'p' },
      tasks: [{ subject: 's', id: null }],
    }
    const kept = { name: 'x', owner: { provider: 'p' }, tasks: [{ subject: 's' }] }
    expect(withoutNulls(schema, sent)).toEqual(kept)
    expect(withoutNulls(schema, { name: 'x', tasks: null })).toEqual({ name: 'x' })
  })

  it('stays if a value is required, if the field is unknown, and if null is a valid value', () => {
    const sent = {
      name: null,
      nmae: null,
      tasks: [{ subject: null }, null],
      labels: { team: null },
      anything: null,
    }
    expect(withoutNulls(schema, sent)).toBe(sent)
    expect(
      validatorFor(schema)
        .violations(sent)
        .map(({ field }) => field),
    ).toEqual(expect.arrayContaining(['name', 'nmae', 'tasks[0].subject', 'labels.team']))
  })

  it('is looked for without changing, copying or refusing whatever else was sent', () => {
    const bodies = OPERATIONS.flatMap((operation) => ('body' in operation ? [operation.body] : []))
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.jsonValue(), (body, value) => {
        const before = JSON.stringify(value)
        const kept = withoutNulls(body, value)
        expect(JSON.stringify(value)).toBe(before)
        expect(kept === value || before.includes('null')).toBe(true)
        const problems = (sent: unknown) => validatorFor(body).violations(sent).length
        expect(problems(kept)).toBeLessThanOrEqual(problems(value))
      }),
    )
  })
})
