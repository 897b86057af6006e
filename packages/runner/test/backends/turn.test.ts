import { setImmediate as nextTick } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TurnError } from '../../src/backends/backend.ts'
import { boundText } from '../../src/backends/turn/bound-text.ts'
import { EventQueue } from '../../src/backends/turn/event-queue.ts'
import { OutputCheck, stopOutputChecks } from '../../src/backends/turn/output-check.ts'
import { TurnClock } from '../../src/backends/turn/turn-clock.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { TurnRecord } from '../../src/backends/turn/turn-record.ts'

const NO_LIMITS = { wallMs: 0, idleMs: 0 }

function watch(limits: { wallMs: number; idleMs: number }): { clock: TurnClock; reached: TurnError[] } {
  const reached: TurnError[] = []
  return { clock: new TurnClock(limits, (error) => reached.push(error)), reached }
}

describe('the queue of events', () => {
  test('delivers everything in order to a reader that starts before, during or after', async () => {
    const queue = new EventQueue<number>()
    queue.push(1)
    const read: number[] = []
    const reading = (async () => {
      for await (const value of queue) read.push(value)
    })()
    queue.push(2)
    await nextTick()
    queue.push(3)
    await nextTick()
    queue.push(4)
    queue.end()
    queue.push(5)
    await reading
    expect(read).toEqual([1, 2, 3, 4])
  })
})

describe('the clock of a turn', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('reaches the wall limit whatever happens, and only once', () => {
    const { clock, reached } = watch({ wallMs: 100, idleMs: 60 })
    vi.advanceTimersByTime(50)
    clock.touch()
    vi.advanceTimersByTime(49)
    expect(reached).toEqual([])
    vi.advanceTimersByTime(1)
    clock.touch()
    vi.advanceTimersByTime(1_000)
    expect(reached).toEqual([{ kind: 'timeout', message: 'The turn took longer than 0.1 s' }])
  })

  test('reaches the idle limit only without a sign of life', () => {
    const { clock, reached } = watch({ wallMs: 0, idleMs: 60 })
    for (let time = 0; time < 10; time += 1) {
      vi.advanceTimersByTime(59)
      clock.touch()
    }
    expect(reached).toEqual([])
    vi.advanceTimersByTime(60)
    expect(reached).toHaveLength(1)
  })

  test('reaches nothing after it was stopped, without limits, or within a month', () => {
    const stopped = watch({ wallMs: 10, idleMs: 10 })
    stopped.clock.stop()
    stopped.clock.touch()
    const unlimited = watch(NO_LIMITS)
    const long = watch({ wallMs: 31 * 24 * 3_600_000, idleMs: 0 })
    vi.advanceTimersByTime(24 * 3_600_000)
    expect([stopped, unlimited, long].flatMap(({ reached }) => reached)).toEqual([])
  })
})

describe('the record of a turn', () => {
  test('ends once, with the last message and the session', async () => {
    const record = new TurnRecord(NO_LIMITS, () => undefined)
    const session = { backend: 'b', id: 'one', transcript: 'one.jsonl' }
    record.emit({ type: 'started', session, model: 'any' })
    record.emit({ type: 'text', text: 'First.' })
    record.emit({ type: 'text', text: 'Last.' })
    record.end({ status: 'interrupted' })
    record.end({ status: 'killed' })
    record.emit({ type: 'text', text: 'Too late.' })
    expect(await record.result).toEqual({ status: 'interrupted', text: 'Last.', session })
    const events = []
    for await (const event of record.events) events.push(event)
    expect(events).toHaveLength(3)
  })
})

test('a secret is redacted from everything a turn reports, before anything is shortened', async () => {
  const hide = new Redactor(['secret-of-gateway', 'secret-of-gateway-and-more']).redact
  const record = new TurnRecord(NO_LIMITS, () => undefined, hide)
  const secret = 'secret-of-gateway-and-more'
  // What is left out begins in the middle of the secret.
  const long = `${'x'.repeat(48 * 1024 - 10)}${secret}${'y'.repeat(64 * 1024)}`
  const call = { id: '1', tool: 'Bash', input: secret }
  record.emit({ type: 'text', text: `It is ${secret}.` })
  record.emit({ type: 'thinking', text: secret })
  record.emit({ type: 'warning', message: secret })
  record.emit({ type: 'tool-started', ...call })
  record.emit({ type: 'tool-ended', ...call, output: long, isError: false })
  record.end({ status: 'failed', error: { kind: 'crash', message: `Lost ${secret}` } })
  const events = []
  for await (const event of record.events) events.push(event)
  expect(JSON.stringify([events, await record.result])).not.toContain('secret-')
  expect(await record.result).toMatchObject({ text: 'It is [secret].', error: { message: 'Lost [secret]' } })
  expect(JSON.stringify(events).length).toBeLessThan(70_000)
})

function textOf(constraints: { minLength?: number; maxLength: number }): fc.Arbitrary<string> {
  return fc.string({ unit: 'binary', ...constraints }).map((text) => text.toWellFormed())
}

describe('long texts', () => {
  test('keep their beginning and their end, within their bound, and no broken character', () => {
    fc.assert(
      fc.property(textOf({ minLength: 101, maxLength: 400 }), (text) => {
        const [head = '', tail = ''] = boundText(text, 100, 30).split(/\n\[… \d+ bytes omitted …\]\n/u)
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
        expect(Buffer.byteLength(head)).toBeGreaterThan(66)
        expect(Buffer.byteLength(head + tail)).toBeLessThanOrEqual(103)
      }),
    )
  })

  test('are left alone when they are not long', () => {
    fc.assert(
      fc.property(textOf({ maxLength: 25 }), (text) => {
        expect(boundText(text, 100, 30)).toBe(text)
      }),
    )
  })
})

describe('outputs', () => {
  afterAll(stopOutputChecks)

  const check = new OutputCheck({
    type: 'object',
    properties: { verdict: { enum: ['good', 'bad'] }, score: { type: 'integer' } },
    required: ['verdict', 'score'],
  })

  test.for(['{"verdict":"good","score":1}', '```json\n{"verdict":"good","score":1}\n```\n'])(
    '%o fits',
    async (text) => {
      expect(await check.checkText(text)).toEqual({ isValid: true, output: { verdict: 'good', score: 1 } })
    },
  )

  test('everything that is wrong is reported', async () => {
    const verdict = await check.checkText('{"verdict":"so so","score":"1"}')
    expect(verdict).toEqual({
      isValid: false,
      problem: [
        'output/verdict must be equal to one of the allowed values',
        'output/score must be integer',
      ].join('\n'),
    })
  })

  test('no answer and invalid JSON are distinguished', async () => {
    expect(await check.checkText(' ')).toEqual({ isValid: false, problem: 'There is no answer.' })
    expect(await check.checkText('Good!')).toEqual({ isValid: false, problem: 'It is not JSON.' })
  })
})
