import { describe, expect, test } from 'vitest'
import { exampleOf } from '../src/example-output.ts'

describe('an example of a schema', () => {
  test('has everything that is required or described', () => {
    expect(
      exampleOf({
        type: 'object',
        properties: {
          verdict: { enum: ['good', 'bad'] },
          score: { type: 'integer', minimum: 3 },
          reasons: { type: 'array', items: { type: 'string' }, minItems: 2 },
          at: { type: 'string', format: 'date-time' },
          isFinal: { type: 'boolean' },
        },
        required: ['verdict', 'owner'],
      }),
    ).toEqual({
      verdict: 'good',
      owner: 'simulated',
      score: 3,
      reasons: ['simulated', 'simulated'],
      at: '2026-01-01T00:00:00Z',
      isFinal: true,
    })
  })

  test.each([
    [{ const: 7 }, 7],
    [{ type: 'string', default: 'x' }, 'x'],
    [{ type: ['null', 'string'] }, null],
    [{ type: 'string', maxLength: 3 }, 'sim'],
    [{ type: 'string', minLength: 12 }, 'simulated...'],
    [{ type: 'number', exclusiveMinimum: 2, multipleOf: 2 }, 4],
    [{ type: 'integer', maximum: -5 }, -5],
    [{ type: 'number', exclusiveMaximum: 0 }, -1],
    [{ type: 'array', maxItems: 0 }, []],
    [{ anyOf: [{ type: 'boolean' }, { type: 'string' }] }, true],
    [{ required: ['a'] }, { a: 'simulated' }],
    [{}, 'simulated'],
  ])('fits %j', (schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected)
  })

  test('follows references and all parts', () => {
    const schema = {
      $defs: { 'a/b': { type: 'integer' }, named: { properties: { name: { type: 'string' } } } },
      allOf: [
        { $ref: '#/$defs/named' },
        { required: ['size'], properties: { size: { $ref: '#/$defs/a~1b' } } },
      ],
    }
    expect(exampleOf(schema)).toEqual({ name: 'simulated', size: 1 })
  })

  test('of a schema that contains itself ends', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } } }
    expect(JSON.stringify(exampleOf(tree)).length).toBeLessThan(200)
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }
    expect(exampleOf(loop)).toBe('simulated')
  })
})
