import { describe, expect, test } from 'vitest'
import type { TurnError, TurnResult } from '../../src/backends/backend.ts'
import { toOutcome, type TurnEnd } from '../../src/run/outcome.ts'

const completed: TurnResult = { status: 'completed', text: 'Said.', session: undefined, output: undefined }

function endOf(facts: Partial<TurnEnd> = {}): TurnEnd {
  return {
    result: completed,
    intent: { type: 'none' },
    stop: 'none',
    budgetRefusal: undefined,
    limitResetMs: undefined,
    breach: '',
    memory: { kills: 0, mib: 0 },
    attempt: 1,
    elapsedMs: 1000,
    wallMs: 0,
    keyName: 'ANTHROPIC_API_KEY of the runner host-1',
    ...facts,
  }
}

function failedWith(kind: TurnError['kind']): TurnResult {
  return { status: 'failed', text: '', session: undefined, error: { kind, message: `It was ${kind}.` } }
}

test('a key that the provider rejects is named, with where it is stored', () => {
  expect(toOutcome(endOf({ result: failedWith('auth') })).error).toEqual({
    code: 'auth',
    message: 'The provider rejected ANTHROPIC_API_KEY of the runner host-1: It was auth.',
    isRetryable: false,
  })
})

describe('a turn that completes', () => {
  test('rests when the agent said nothing of its end', () => {
    expect(toOutcome(endOf())).toEqual({ reason: 'rested', message: 'Said.' })
  })

  test('finishes, asks or awaits as the agent declared', () => {
    expect(toOutcome(endOf({ intent: { type: 'finish', result: 'Done.' } }))).toMatchObject({
      reason: 'finished',
      message: 'Done.',
    })
    expect(toOutcome(endOf({ intent: { type: 'ask', question: 'Which?' } }))).toMatchObject({
      reason: 'asked',
      needsInput: 'Which?',
    })
    expect(toOutcome(endOf({ intent: { type: 'await', children: ['x'] } }))).toMatchObject({
      reason: 'rested',
      awaits: ['x'],
    })
  })

  test('carries its structured output as JSON', () => {
    const result: TurnResult = { ...completed, status: 'completed', output: { a: [1] } }
    expect(toOutcome(endOf({ result }))).toMatchObject({ output: '{"a":[1]}' })
  })
})

describe('a turn that was stopped', () => {
  test('is what was requested, however the program ended', () => {
    for (const result of [failedWith('crash'), failedWith('auth')]) {
      expect(toOutcome(endOf({ result, stop: 'kill' })).reason).toBe('killed')
      expect(toOutcome(endOf({ result, stop: 'interrupt' })).reason).toBe('interrupted')
      expect(toOutcome(endOf({ result, stop: 'hand-back' }))).toMatchObject({
        reason: 'paused',
        retryAfterMs: 0,
      })
    }
  })

  test('after it was done is done, unless it was killed', () => {
    const intent = { type: 'finish', result: 'Done.' } as const
    expect(toOutcome(endOf({ intent, stop: 'interrupt' })).reason).toBe('finished')
    expect(toOutcome(endOf({ intent, stop: 'hand-back' })).reason).toBe('finished')
    expect(toOutcome(endOf({ intent, stop: 'kill' })).reason).toBe('killed')
  })

  test('by nobody is a crash and is retried', () => {
    const result: TurnResult = { status: 'interrupted', text: '', session: undefined }
    expect(toOutcome(endOf({ result }))).toMatchObject({
      reason: 'failed',
      error: { code: 'crash', isRetryable: true },
    })
  })
})

describe('a turn that failed', () => {
  test('without budget goes idle and says so, however the program handled the refusal', () => {
    for (const result of [failedWith('budget'), failedWith('auth'), completed]) {
      expect(
        toOutcome(
          endOf({ result, budgetRefusal: { message: 'The budget of $1 is used up.', limit: 'budget' } }),
        ),
      ).toMatchObject({
        reason: 'limit',
        limit: 'budget',
        needsInput: 'The budget of $1 is used up.',
      })
    }
  })

  test('at a rate limit pauses until it resets', () => {
    const limited = endOf({ result: failedWith('rate-limit'), limitResetMs: 42_000 })
    expect(toOutcome(limited)).toMatchObject({ reason: 'paused', retryAfterMs: 42_000 })
    expect(toOutcome({ ...limited, limitResetMs: undefined })).toMatchObject({
      reason: 'paused',
      retryAfterMs: 60_000,
    })
  })

  test('because the provider is overloaded pauses, but not forever', () => {
    expect(toOutcome(endOf({ result: failedWith('overloaded') }))).toMatchObject({ reason: 'paused' })
    expect(toOutcome(endOf({ result: failedWith('overloaded'), attempt: 100 }))).toMatchObject({
      reason: 'failed',
    })
  })

  test('at its time limit goes idle and says so; one that was merely silent is retried', () => {
    const result = failedWith('timeout')
    expect(toOutcome(endOf({ result, wallMs: 60_000, elapsedMs: 60_010 }))).toMatchObject({
      reason: 'limit',
      limit: 'time',
    })
    expect(toOutcome(endOf({ result, wallMs: 60_000, elapsedMs: 5_000 }))).toMatchObject({
      reason: 'failed',
      error: { code: 'timeout', isRetryable: true },
    })
  })

  test('permanently is not retried', () => {
    for (const kind of ['auth', 'bad-request', 'context-length', 'program-missing'] as const) {
      expect(toOutcome(endOf({ result: failedWith(kind) }))).toMatchObject({
        reason: 'failed',
        error: { code: kind, isRetryable: false },
      })
    }
  })
})

describe('an outcome', () => {
  test('never holds more than the service takes, nor anything that it cannot store', () => {
    const question = `\0${'x'.repeat(100_000)}`
    const outcome = toOutcome(endOf({ intent: { type: 'ask', question } }))
    expect(outcome.needsInput?.length).toBeLessThanOrEqual(65_536)
    expect(outcome.needsInput).not.toContain('\0')
    const limited = toOutcome(endOf({ result: failedWith('rate-limit'), limitResetMs: 1234.5 }))
    expect(limited.retryAfterMs).toBe(1235)
    const result: TurnResult = { ...completed, status: 'completed', output: 'x'.repeat(1_100_000) }
    expect(toOutcome(endOf({ result }))).toMatchObject({
      reason: 'failed',
      error: { code: 'output-invalid' },
    })
  })
})

describe('a turn that met a limit of its machine', () => {
  test('goes idle with the reason if it used too much disk, unless someone killed it', () => {
    const breach = 'The agent uses 90 MiB of disk space; its limit is 64 MiB.'
    const result: TurnResult = { status: 'killed', text: 'Said.', session: undefined }
    expect(toOutcome(endOf({ result, breach }))).toEqual({
      reason: 'limit',
      limit: 'disk',
      message: 'Said.',
      needsInput: expect.stringMatching(/^The agent uses 90 MiB.* raise the limit\.$/) as string,
    })
    expect(toOutcome(endOf({ result, breach, stop: 'kill' }))).toMatchObject({ reason: 'killed' })
  })

  test('says that memory ran out when the program went down with it', () => {
    const memory = { kills: 2, mib: 512 }
    expect(toOutcome(endOf({ result: failedWith('crash'), memory })).error?.message).toBe(
      'It was crash. The kernel killed 2 of the agent’s processes, because it used more than its 512 MiB of memory.',
    )
    expect(toOutcome(endOf({ result: failedWith('refused'), memory })).error?.message).toBe('It was refused.')
  })
})
