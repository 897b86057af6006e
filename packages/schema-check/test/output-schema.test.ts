import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileOutputSchema, outputSchemaProblem } from '../src/output-schema.ts'

const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024

const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')

describe('an output schema', () => {
  test.each([
    '{}',
    '{"type":"object","properties":{"answer":{"type":"string","format":"date-time"}},"required":["answer"]}',
    '{"$defs":{"node":{"properties":{"next":{"$ref":"#/$defs/node"}}}},"$ref":"#/$defs/node"}',
    '{"x-own-keyword":true,"prefixItems":[{"const":1}],"unevaluatedItems":false}',
  ])('is accepted: %s', (text) => {
    expect(outputSchemaProblem(text)).toBeUndefined()
  })

  test.each([
    ['bad JSON', '{"type":', 'is not a JSON Schema'],
    ['no JSON at all', '', 'is not a JSON Schema'],
    ['a list', '[]', 'must be a JSON object'],
    ['null', 'null', 'must be a JSON object'],
    ['a boolean', 'true', 'must be a JSON object'],
    ['a text', '"object"', 'must be a JSON object'],
    ['an unknown type', '{"type":"thing"}', 'is not a JSON Schema'],
    ['a keyword of the wrong type', '{"properties":7}', 'is not a JSON Schema'],
    ['a bad pattern', '{"pattern":"("}', 'is not a JSON Schema'],
    ['a dangling reference', '{"$ref":"#/$defs/none"}', 'is not a JSON Schema'],
    ['a reference to another machine', '{"$ref":"https://example.com/s.json"}', 'is not a JSON Schema'],
    ['a reference to a file', '{"$ref":"file:///etc/passwd"}', 'is not a JSON Schema'],
    ['an unknown dialect', '{"$schema":"http://example.com/dialect"}', 'is not a JSON Schema'],
    ['an asynchronous one', '{"$async":true,"$ref":"#/nowhere"}', 'is not a JSON Schema'],
  ])('is refused for %s', (_what, text, expected) => {
    expect(outputSchemaProblem(text)).toContain(expected)
  })

  test.each(['{"not":', '{"items":', '{"properties":{"a":', '[', '{"allOf":['])(
    'nested deeper than any stack in %s is refused, not a crash',
    (open) => {
      for (const depth of [1_000, 8_000, 100_000]) {
        const closing = open.replace(/[^[{]/g, '').split('').reverse()
        const close = closing.map((bracket) => (bracket === '{' ? '}' : ']')).join('')
        const problem = outputSchemaProblem(open.repeat(depth) + '{}' + close.repeat(depth))
        expect(problem ?? 'fine').toMatch(/fine|nested too deeply|must be a JSON object/)
      }
    },
  )

  test.each([
    ['patternProperties', `{"patternProperties":{${many(2_500, (index) => `"^a${index}":{}`)}}}`],
    ['patterns', `{"allOf":[${many(2_500, (index) => `{"pattern":"a${index}"}`)}]}`],
    ['objects', `{"allOf":[${many(501, () => '{}')}]}`],
    ['references', `{"$defs":{"a":{}},"allOf":[${many(2_000, () => '{"$ref":"#/$defs/a"}')}]}`],
    ['values', `{"enum":[${many(12_000, (index) => `${index}`)}]}`],
    ['unevaluated keywords', `{"allOf":[${many(300, () => '{"unevaluatedProperties":false}')}]}`],
    ['one long pattern', `{"pattern":"${'a'.repeat(300)}"}`],
    ['levels', `${'{"not":'.repeat(100)}{}${'}'.repeat(100)}`],
  ])('of too many %s is refused before it is compiled', (_what, text) => {
    expect(text.length).toBeLessThan(MAX_OUTPUT_SCHEMA_BYTES)
    const before = process.cpuUsage()
    expect(outputSchemaProblem(text)).toMatch(/^(has|is) (too|nested|a pattern)/)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(100)
  })

  test.each([
    ['properties', `{"properties":{${many(400, (index) => `"p${index}":{"format":"date-time"}`)}}}`],
    ['patterns', `{"patternProperties":{${many(100, (index) => `"^a${index}":{}`)}}}`],
    [
      'definitions',
      `{"$defs":{${many(400, (index) => `"d${index}":{"$ref":"#/$defs/d${(index + 1) % 400}"}`)}}}`,
    ],
    [
      'unevaluated keywords',
      `{"allOf":[${many(400, (index) => `{"required":["a${index}"]}`)}],"unevaluatedItems":false}`,
    ],
  ])('as large as can be in %s is compiled in a moment', (_what, text) => {
    const before = process.cpuUsage()
    expect(outputSchemaProblem(text)).toBeUndefined()
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000)
  })

  test('that refers to itself refuses every output, and does not crash', () => {
    expect(outputSchemaProblem('{"$ref":"#"}')).toBeUndefined()
    expect(compileOutputSchema('{"$ref":"#"}')({})).toContain('refers to itself')
  })

  test('whatever the text, the answer is a text or nothing', () => {
    const keyword = fc.constantFrom('type', '$ref', 'allOf', 'properties', '$id', 'format', '__proto__')
    const schema = fc.dictionary(keyword, fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json({ maxDepth: 3 }), schema), (text) => {
        expect(['string', 'undefined']).toContain(typeof outputSchemaProblem(text))
      }),
      { numRuns: 300 },
    )
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('type')
  })

  test('lists every way in which an output does not match, and nothing when it does', () => {
    const findProblem = compileOutputSchema(
      '{"properties":{"at":{"format":"date-time"},"score":{"type":"integer"}},"required":["score"]}',
    )
    expect(findProblem({ score: 1, at: '2026-01-02T03:04:05Z' })).toBeUndefined()
    expect(findProblem({ at: 'soon' })).toBe(
      'output must have required property \'score\'\noutput/at must match format "date-time"',
    )
  })
})
