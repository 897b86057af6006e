import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { inlineScript, type SimulatorStep } from '../src/index.ts'
import { findInlineScript, withoutInlineScripts } from '../src/script/inline-script.ts'
import { parseScript } from '../src/script/parse-script.ts'

const words = fc.stringMatching(/^[a-z`'"\n:#$ {}-]{1,40}[a-z]$/u)
const step: fc.Arbitrary<SimulatorStep> = fc.oneof(
  fc.record({ say: words }),
  fc.record({ say: words, shell: words }),
  fc.record({ tool: words, input: fc.record({ task: words }) }),
  fc.record({ error: fc.constantFrom(429, 529), message: words }),
)
const steps = fc.array(step, { minLength: 1, maxLength: 4 })

describe('a script in a prompt', () => {
  test('is found again as it was written, whatever stands around it', () => {
    const around = fc.stringMatching(/^[a-z .\n]*$/u)
    fc.assert(
      fc.property(around, steps, around, (before, written, after) => {
        const prompt = `${before}\n${inlineScript(written)}\n${after}`
        expect(findInlineScript(prompt)).toEqual(parseScript(stringify(written), 'in the prompt'))
        expect(withoutInlineScripts(prompt)).toBe(`${before}\n\n${after}`.trim())
      }),
    )
  })

  test('may contain the script of a child, which the parent does not play', () => {
    const child = `Do this:\n${inlineScript([{ say: 'I am the child' }])}`
    const grandchild = inlineScript([{ tool: 'spawn_child', input: { task: child } }])
    const script = findInlineScript(inlineScript([{ tool: 'spawn_child', input: { task: grandchild } }]))
    expect(script?.steps[0]?.calls).toEqual([
      { kind: 'tool', name: 'spawn_child', input: { task: grandchild } },
    ])
    expect(findInlineScript(grandchild)?.steps[0]?.calls).toMatchObject([{ input: { task: child } }])
  })

  test('is the last one where several messages were joined', () => {
    const prompt = `${inlineScript([{ say: 'old' }])}\n\n${inlineScript([{ say: 'new' }])}`
    expect(findInlineScript(prompt)?.steps[0]?.say).toBe('new')
  })

  test('may be typed on Windows, and indented', () => {
    const prompt = 'Please:\r\n  ```simulate\r\n  - say: hello\r\n  - shell: ls\r\n  ```\r\n'
    expect(findInlineScript(prompt)?.steps.map(({ say, calls }) => [say, calls.length])).toEqual([
      ['hello', 0],
      ['', 1],
    ])
  })

  test('is not any other block of code', () => {
    expect(findInlineScript('```yaml\n- say: hello\n```')).toBeUndefined()
    expect(findInlineScript('Use ```simulate blocks.')).toBeUndefined()
  })
})
