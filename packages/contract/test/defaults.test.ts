import * as fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { KINDS, validatorFor } from '../src/index.ts'

const schema = Type.Object({
  name: Type.String(),
  size: Type.Integer({ default: 3 }),
  note: Type.Optional(Type.String()),
  build: Type.Object({ name: Type.String({ default: 'any' }) }, { default: {} }),
  repos: Type.Array(Type.Object({ url: Type.String(), branch: Type.String({ default: 'main' }) }), {
    default: [],
  }),
})
const { withDefaults } = validatorFor(schema)

describe('defaults', () => {
  it('are filled in at every level, in lists too', () => {
    expect(withDefaults({ name: 'x', repos: [{ url: 'u' }, { url: 'v', branch: 'w' }] })).toEqual({
      name: 'x',
      size: 3,
      build: { name: 'any' },
      repos: [
        { url: 'u', branch: 'main' },
        { url: 'v', branch: 'w' },
      ],
    })
  })

  it('never replace what is there, whatever it is', () => {
    const given = { name: 'x', size: 0, build: null, repos: 'none', extra: { deep: [1] } }
    expect(withDefaults(given)).toEqual(given)
  })

  it('are left out of a list that is too long anyway', () => {
    const short = validatorFor(
      Type.Array(Type.Object({ size: Type.Integer({ default: 3 }) }), { maxItems: 1 }),
    )
    expect(short.withDefaults([{}])).toEqual([{ size: 3 }])
    expect(short.withDefaults([{}, {}])).toEqual([{}, {}])
  })

  it('leave anything that is not a document unchanged', () => {
    for (const value of [null, 7, 'text', true]) expect(withDefaults(value)).toBe(value)
  })

  it('never throw and never change the value, whatever JSON it is', () => {
    const kind = fc.constantFrom(...KINDS)
    const document = fc.oneof(
      fc.jsonValue(),
      kind.chain(({ example }) =>
        fc.record(Object.fromEntries(Object.keys(example).map((key) => [key, fc.jsonValue()]))),
      ),
    )
    fc.assert(
      fc.property(kind, document, (of, value) => {
        const before = JSON.stringify(value)
        const filled = validatorFor(of.schema).withDefaults(value)
        expect(JSON.stringify(value)).toBe(before)
        expect(validatorFor(of.schema).withDefaults(filled)).toEqual(filled)
      }),
    )
  })

  it('keep a key named __proto__ a plain key', () => {
    const value: unknown = JSON.parse('{"name":"x","__proto__":{"size":9}}')
    const filled = withDefaults(value)
    expect(Object.getPrototypeOf(filled)).toBe(Object.prototype)
    expect(filled).toHaveProperty('size', 3)
  })
})
