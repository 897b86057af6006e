import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chooseStep, type ScriptLibrary } from '../src/script/choose-step.ts'
import type { Entry } from '../src/conversation.ts'
import { FailureCounter } from '../src/failure-counter.ts'
import { inlineScript, type SimulatorStep } from '../src/index.ts'
import { parseScript } from '../src/script/parse-script.ts'

const library: ScriptLibrary = {
  scripts: [
    parseScript('{ name: greet, when: "\\\\bhello\\\\b", steps: [{ say: hi }, { say: bye }] }', 'greet'),
    parseScript('{ name: late, when: "hello|late", steps: [{ say: sorry }] }', 'late'),
  ],
  fallback: parseScript('{ name: default, steps: [{ say: one }, { say: two }] }', 'default'),
}
const text = (content: string): Entry => ({ kind: 'text', text: content })
const answer: Entry = { kind: 'answer' }
const result: Entry = { kind: 'result', callId: 'c', tool: 'Bash', text: 'hello' }

/** What programs and people put between the steps without asking for a script. */
const noise: fc.Arbitrary<Entry> = fc.constantFrom(
  result,
  text('<system-reminder>\nhello\n</system-reminder>'),
  text('go on'),
  text('[Request interrupted by user]'),
  text('<turn_aborted>\nhello\n</turn_aborted>'),
)
const before = fc.array(
  fc.oneof(noise, fc.constantFrom(answer, text('hello'), text(inlineScript([{ say: 'old' }])))),
)
const saidStep: fc.Arbitrary<SimulatorStep> = fc.nat(99).map((number) => ({ say: `step ${number}` }))
const failingStep: fc.Arbitrary<SimulatorStep> = fc.record({
  error: fc.constantFrom(429, 500, 529),
  times: fc.integer({ min: 1, max: 3 }),
})

describe('the step of a conversation', () => {
  test('is the one after as many answers as were given since the script was asked for', () => {
    const gaps = fc.array(fc.array(noise, { maxLength: 3 }), { maxLength: 7 })
    fc.assert(
      fc.property(before, fc.array(saidStep, { minLength: 1, maxLength: 5 }), gaps, (old, steps, rounds) => {
        const entries = [...old, text(inlineScript(steps)), ...rounds.flatMap((round) => [...round, answer])]
        const choice = chooseStep(entries, library)
        expect(choice.answers).toBe(rounds.length)
        expect(choice.scene.answer?.say).toBe(steps[rounds.length]?.say)
      }),
    )
  })

  test('is played exactly once each, in order, by a client that repeats whatever failed', () => {
    const steps = fc.array(fc.oneof(saidStep, failingStep), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(before, steps, fc.infiniteStream(noise), (old, written, noises) => {
        const entries = [...old, text(inlineScript(written))]
        const counter = new FailureCounter()
        const played: number[] = []
        for (let attempts = 0; attempts < 50; attempts += 1) {
          const { scene, answers } = chooseStep(entries, library)
          const step = counter.next(String(answers), scene)
          if (!step) break
          played.push(step.number)
          // A failure leaves nothing behind, but the client may mention it when it continues.
          entries.push(...(step.failure ? [] : [answer]), ...noises.take(1))
        }
        expect(played).toEqual(
          written.flatMap((step, index) => Array.from({ length: Number(step.times ?? 1) }, () => index + 1)),
        )
      }),
    )
  })
})

describe('the script of a conversation', () => {
  test('is the one of the newest text that asks for one', () => {
    const greeted = [text('Please say Hello.'), answer, text('go on'), answer]
    expect(chooseStep(greeted, library)).toMatchObject({ script: { name: 'greet' }, answers: 2 })
    const inline = [...greeted, text(inlineScript([{ say: 'mine' }])), text('please')]
    expect(chooseStep(inline, library)).toMatchObject({ script: { name: 'in the prompt' }, answers: 0 })
    expect(chooseStep([...inline, answer, text('it is late')], library).script.name).toBe('late')
  })

  test('is never asked for by what a program adds, or by what a tool returned', () => {
    const entries = [text('<system-reminder>\nhello\n</system-reminder>\n'), text('do it'), answer, result]
    expect(chooseStep(entries, library)).toMatchObject({
      script: { name: 'default' },
      prompt: 'do it',
      answers: 1,
    })
  })

  test('is the default for a prompt that asks for none, from its newest words on', () => {
    const entries = [text('do it'), answer, answer, text('and now that'), answer]
    expect(chooseStep(entries, library)).toMatchObject({
      script: { name: 'default' },
      prompt: 'and now that',
      scene: { answer: { say: 'two' } },
    })
    expect(chooseStep([], library)).toMatchObject({ prompt: '', answers: 0 })
  })

  test('has its own text taken out of the prompt', () => {
    const prompt = `<system-reminder>x</system-reminder>Build it.\n${inlineScript([{ say: 'a' }])}`
    expect(chooseStep([text(prompt)], library).prompt).toBe('Build it.')
  })
})

test('the counter of failures forgets the oldest points first', () => {
  const { scene } = chooseStep([text(inlineScript([{ error: 529, times: 1 }, { say: 'ok' }]))], library)
  const counter = new FailureCounter(2)
  const isFailing = (point: string): boolean => counter.next(point, scene)?.failure !== undefined
  expect(['a', 'b', 'a', 'b', 'c', 'b', 'a'].map(isFailing)).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
    true,
  ])
})
