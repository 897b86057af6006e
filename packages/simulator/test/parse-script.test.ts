import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { parseScript } from '../src/script/parse-script.ts'
import { ScriptError } from '../src/script/script-place.ts'

const parse = (yaml: string) => parseScript(yaml, 'test.yaml')

describe('a script', () => {
  test('is a list of steps, or an object with a name, a condition and steps', () => {
    const steps = parse('- say: hello\n- shell: ls').steps
    const named = parse('name: greet\nwhen: hello|hi\nsteps:\n  - say: hello\n  - shell: ls')
    expect(named.steps).toEqual(steps)
    expect(named.name).toBe('greet')
    expect(named.when?.test('Well, HI there')).toBe(true)
    expect(steps.map(({ number, say, calls }) => ({ number, say, calls }))).toEqual([
      { number: 1, say: 'hello', calls: [] },
      { number: 2, say: '', calls: [{ kind: 'shell', command: 'ls' }] },
    ])
  })

  test('has defaults that make every cost predictable', () => {
    const [step, other] = parse('- say: a\n- say: b\n  usage: { output: 7 }').steps
    expect(step?.usage).toEqual({ input: 1_000, cachedInput: 200, cacheWrite: 50, output: 40, reasoning: 0 })
    expect(other?.usage).toEqual({ input: 1_000, cachedInput: 200, cacheWrite: 50, output: 7, reasoning: 0 })
  })

  test('writes whole lines, under either name', () => {
    const calls = parse('- write: { path: a, text: "one\\ntwo" }\n- edit: { path: b, text: "one\\n" }').steps
    expect(calls.flatMap((step) => step.calls)).toEqual([
      { kind: 'write', path: 'a', text: 'one\ntwo\n' },
      { kind: 'write', path: 'b', text: 'one\n' },
    ])
  })

  test('fails once unless it says how often', () => {
    const { steps } = parse('- error: 429\n- hang: true\n  times: 3\n- cut: true\n  times: always')
    expect(steps.map(({ failure }) => [failure?.kind, failure?.times])).toEqual([
      ['error', 1],
      ['hang', 3],
      ['cut', Infinity],
    ])
  })
})

describe('a script with a mistake is refused with its place and what is allowed', () => {
  test.each([
    ['[', /^Script test\.yaml is not YAML: /],
    ['- say: a\n  say: b', /^Script test\.yaml is not YAML: Map keys must be unique/],
    ['- say: *nowhere', /^Script test\.yaml is not YAML: /],
    ['hello', /^Script test\.yaml: expected a list of steps, or an object with "steps"$/],
    ['{}', /^Script test\.yaml: "steps" must be a list with at least one step$/],
    [
      '{ steps: [], nmae: x }',
      /^Script test\.yaml: unknown key "nmae"; allowed are "name", "when", "steps"$/,
    ],
    [
      '{ name: x, when: "(", steps: [{ say: a }] }',
      /^Script test\.yaml: "when" is not a valid regular expression: /,
    ],
    ['- hello', /^Script test\.yaml, step 1: expected an object with one of "say", "shell", /],
    [
      '{ name: x, steps: [{ say: a }, { sya: b }] }',
      /^Script x, step 2: unknown key "sya"; allowed are "say", /,
    ],
    ['- think: hm', /^Script test\.yaml, step 1: needs one of "say", "shell", /],
    [
      '- shell: ls\n  tool: x',
      /step 1: "shell", "tool" cannot be combined in one step; put calls into "calls"$/,
    ],
    ['- say: 1', /step 1: "say" must be a string$/],
    ['- shell: ls\n  input: {}', /step 1: "input" requires "tool"$/],
    ['- calls: [{ tool: x }]\n  each: a', /step 1: "each" requires "tool"$/],
    ['- calls: []', /step 1: "calls" must be a list of calls$/],
    [
      '- calls: [{ shell: ls, tool: x }]',
      /step 1, call 1: needs exactly one of "shell", "write", "edit", "tool"$/,
    ],
    ['- calls: [{ shell: ls }, { say: x }]', /step 1, call 2: unknown key "say"; allowed are "shell", /],
    ['- tool: x\n  input: [1]', /step 1: "input" must be an object$/],
    ['- write: { path: a }', /step 1, "write": "text" is missing$/],
    ['- write: a', /step 1: "write" must be an object with "path" and "text"$/],
    ['- error: 418', /step 1: "error" must be one of 400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 529$/],
    [
      '- error: 429\n  say: a',
      /step 1: "say" and "think" can be combined with "error" only if "inStream" is true$/,
    ],
    ['- say: a\n  times: 2', /step 1: "times" requires "error", "hang" or "cut"$/],
    ['- error: 429\n  times: 0', /step 1: "times" must be at least 1, or "always"$/],
    ['- say: a\n  message: b', /step 1: "message" requires "error"$/],
    ['- say: a\n  hang: yes please', /step 1: "hang" must be true or false$/],
    ['- say: a\n  delayMs: -1', /step 1: "delayMs" must be a non-negative integer$/],
    ['- say: a\n  headers: { x: [1] }', /step 1: the header "x" must be a string or a number$/],
    [
      '- say: a\n  usage: { inputs: 1 }',
      /step 1, "usage": unknown key "inputs"; allowed are "input", "cachedInput", /,
    ],
  ])('%j', (yaml, message) => {
    expect(() => parse(yaml)).toThrow(message)
    expect(() => parse(yaml)).toThrow(ScriptError)
  })
})

function shape(keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(keys, { requiredKeys: [], noNullPrototype: true })
}

function outcomeOf(yaml: string): 'understood' | 'refused' {
  try {
    parse(yaml)
    return 'understood'
  } catch (error) {
    if (error instanceof ScriptError) return 'refused'
    throw error
  }
}

test('a script that is anything at all is either understood or refused with a reason', () => {
  const anyValue = fc.jsonValue({ maxDepth: 2 })
  const orAny = (...valid: unknown[]): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: anyValue })
  const usage = orAny({ output: 1 })
  const step = fc.oneof(
    shape({ say: orAny('a', ''), think: orAny('b'), usage }),
    shape({ tool: orAny('finish'), input: orAny({}), each: orAny('${result}'), usage }),
    shape({ error: orAny(429, 418), times: orAny(1, 'always'), message: orAny('no') }),
    shape({ calls: orAny([{ shell: 'ls' }], [{ write: { path: 'a', text: 'b' } }]), say: orAny('a') }),
  )
  const steps = fc.array(step, { maxLength: 3 })
  let understood = 0
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), steps, fc.string()), (anything) => {
      const outcome = outcomeOf(typeof anything === 'string' ? anything : stringify(anything))
      if (outcome === 'understood') understood += 1
    }),
    { numRuns: 3_000 },
  )
  expect(understood).toBeGreaterThan(50)
})
