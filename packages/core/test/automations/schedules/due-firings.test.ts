import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueFirings, MISSED_AFTER_MS, type CatchUp } from '../../../src/automations/schedules/due-firings.ts'
import { ScheduleTiming } from '../../../src/automations/schedules/schedule-timing.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const NINE = Date.UTC(2026, 10, 17, 9)

function timing(fields: Partial<ConstructorParameters<typeof ScheduleTiming>[0]>): ScheduleTiming {
  return new ScheduleTiming(
    { timeZone: 'UTC', jitter: '0s', ...fields },
    { anchorAt: NINE, jitterSeed: 'acme/nightly' },
  )
}

function catchUp(policy: CatchUp['policy'], more: Partial<CatchUp> = {}): CatchUp {
  return { policy, windowMs: 24 * HOUR_MS, max: 10, ...more }
}

const minutely = timing({ cron: '* * * * *' })

describe('without an outage', () => {
  test('each firing happens once, at its time, under every policy', () => {
    for (const policy of ['none', 'latest', 'all'] as const) {
      let decided = NINE
      const fired: number[] = []
      for (let now = NINE; now < NINE + 11 * MINUTE_MS; now += 700) {
        const due = dueFirings(minutely, catchUp(policy), decided, now)
        fired.push(...due.fire.map(({ dueAt }) => dueAt))
        expect(due.missedFrom).toBeUndefined()
        decided = due.decidedUntil
      }
      expect(fired).toEqual(Array.from({ length: 10 }, (_, index) => NINE + (index + 1) * MINUTE_MS))
    }
  })

  test('the next one is named, so that the server knows when to look again', () => {
    expect(dueFirings(minutely, catchUp('none'), NINE, NINE + 1).next?.dueAt).toBe(NINE + MINUTE_MS)
  })
})

describe('after an outage of an hour', () => {
  const now = NINE + HOUR_MS + 30_000

  test('none drops what was missed and says so', () => {
    const due = dueFirings(minutely, catchUp('none'), NINE, now)
    expect(due.fire).toEqual([])
    expect(due.missedFrom).toBe(NINE + MINUTE_MS)
    expect(due.next?.dueAt).toBe(NINE + HOUR_MS + MINUTE_MS)
  })

  test('latest fires the newest', () => {
    const due = dueFirings(minutely, catchUp('latest'), NINE, now)
    expect(due.fire.map(({ dueAt }) => dueAt)).toEqual([NINE + HOUR_MS])
    expect(due.missedFrom).toBe(NINE + MINUTE_MS)
  })

  test('all fires the newest up to the limit, oldest first', () => {
    const due = dueFirings(minutely, catchUp('all', { max: 3 }), NINE, now)
    expect(due.fire.map(({ dueAt }) => dueAt)).toEqual(
      [58, 59, 60].map((minute) => NINE + minute * MINUTE_MS),
    )
    const whole = dueFirings(minutely, catchUp('all', { max: 100 }), NINE, now)
    expect(whole.fire).toHaveLength(60)
    expect(whole.missedFrom).toBeUndefined()
  })

  test('nothing older than the window fires', () => {
    const due = dueFirings(minutely, catchUp('all', { windowMs: 5 * MINUTE_MS, max: 100 }), NINE, now)
    expect(due.fire).toHaveLength(5)
    const daily = timing({ cron: '5 9 * * *' })
    expect(dueFirings(daily, catchUp('latest', { windowMs: 5 * MINUTE_MS }), NINE, now).fire).toEqual([])
  })

  test('what came due a moment ago was not missed', () => {
    const soon = NINE + HOUR_MS + 1000
    const due = dueFirings(minutely, catchUp('none'), NINE, soon)
    expect(due.fire.map(({ dueAt }) => dueAt)).toEqual([NINE + HOUR_MS])
  })
})

test('whatever the times of the looks, no firing happens twice, and all happen if nothing is dropped', () => {
  const fields = fc.constantFrom(
    { every: '1s' },
    { every: '7s' },
    { every: '3600s', jitter: '1800s' },
    { cron: '*/5 * * * *', jitter: '600s' },
    { cron: '30 2 * * *', timeZone: 'America/New_York', jitter: '3600s' },
  )
  fc.assert(
    fc.property(
      fields,
      fc.array(fc.integer({ min: 1, max: 7 * HOUR_MS }), { maxLength: 20 }),
      fc.constantFrom('none' as const, 'latest' as const, 'all' as const),
      (chosen, pauses, policy) => {
        const schedule = timing(chosen)
        let [decided, now] = [NINE, NINE]
        const fired: number[] = []
        let isDropped = false
        for (const pause of pauses) {
          now += pause
          const due = dueFirings(schedule, catchUp(policy, { max: 100 }), decided, now)
          for (const { dueAt, startAt } of due.fire) {
            expect(startAt).toBeLessThanOrEqual(now)
            expect(startAt).toBeGreaterThanOrEqual(dueAt)
            expect(dueAt).toBeGreaterThan(fired.at(-1) ?? NINE)
            fired.push(dueAt)
          }
          if (due.missedFrom !== undefined) isDropped = true
          expect(due.decidedUntil).toBeGreaterThanOrEqual(decided)
          decided = due.decidedUntil
        }
        if (isDropped) return
        const wanted = schedule
          .last(NINE, now, 1_000)
          .filter(({ startAt }) => startAt <= now - MISSED_AFTER_MS)
          .map(({ dueAt }) => dueAt)
        expect(fired).toEqual(expect.arrayContaining(wanted))
      },
    ),
    { numRuns: 100 },
  )
})

describe('intervals', () => {
  test('count from the start, not from the last firing', () => {
    const start = '2026-11-17T09:00:30.000Z'
    const schedule = timing({ every: '90s', startTime: start })
    expect(schedule.upcoming(NINE, 3).map(({ dueAt }) => dueAt - NINE)).toEqual([30_000, 120_000, 210_000])
    expect(schedule.next(NINE + 121_000)?.dueAt).toBe(NINE + 210_000)
  })

  test('without a start count from when the schedule was created', () => {
    expect(timing({ every: '60s' }).next(NINE)?.dueAt).toBe(NINE + MINUTE_MS)
  })

  test('end with the end, which is included', () => {
    const schedule = timing({ every: '60s', endTime: '2026-11-17T09:02:00.000Z' })
    expect(schedule.upcoming(NINE, 10).map(({ dueAt }) => dueAt - NINE)).toEqual([MINUTE_MS, 2 * MINUTE_MS])
  })
})

describe('jitter', () => {
  test('is the same each time it is asked, below the limit, and different for other schedules', () => {
    const one = timing({ cron: '0 * * * *', jitter: '600s' })
    const delays = one.upcoming(NINE, 200).map(({ dueAt, startAt }) => startAt - dueAt)
    expect(delays).toEqual(one.upcoming(NINE, 200).map(({ dueAt, startAt }) => startAt - dueAt))
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThan(600_000)
    // Spread over the whole range.
    expect(new Set(delays.map((delay) => Math.floor(delay / 60_000))).size).toBe(10)
  })

  test('never lasts beyond the next firing', () => {
    const schedule = timing({ cron: '* * * * *', jitter: '3600s' })
    for (const { dueAt, startAt } of schedule.upcoming(NINE, 100)) {
      expect(startAt - dueAt).toBeLessThan(MINUTE_MS)
    }
  })
})
