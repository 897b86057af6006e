import { expect, test } from 'vitest'
import { parseCron } from '../../../src/automations/schedules/cron-expression.ts'
import { nextCronFiring } from '../../../src/automations/schedules/next-cron-firing.ts'

function firings(cron: string, zone: string, from: string, amount: number): string[] {
  const found: string[] = []
  let at: number | undefined = Date.parse(from)
  while (found.length < amount && at !== undefined) {
    at = nextCronFiring(parseCron(cron), zone, at)
    if (at !== undefined) found.push(new Date(at).toISOString().slice(5, 16))
  }
  return found
}

test('a time that is skipped in spring fires once, when the clock jumps', () => {
  const spring = '2026-03-07T12:00Z'
  expect(firings('30 2 * * *', 'America/New_York', spring, 2)).toEqual(['03-08T07:00', '03-09T06:30'])
  expect(firings('0,15,30 2 * * *', 'America/New_York', spring, 2)).toEqual(['03-08T07:00', '03-09T06:00'])
  expect(firings('30 2 8 3 *', 'America/New_York', spring, 2)).toEqual(['03-08T07:00', '03-08T07:30'])
  expect(firings('15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T18:00Z', 2)).toEqual([
    '10-03T15:30',
    '10-04T15:15',
  ])
})

test('a skipped time and one at the end of the jump are one firing', () => {
  expect(firings('0 2,3 * * *', 'America/New_York', '2026-03-08T00:00Z', 2)).toEqual([
    '03-08T07:00',
    '03-09T06:00',
  ])
})

test('a time that occurs twice in autumn fires once, the first time', () => {
  expect(firings('30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 2)).toEqual([
    '11-01T05:30',
    '11-02T06:30',
  ])
  expect(firings('*/30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', 3)).toEqual([
    '11-01T05:00',
    '11-01T05:30',
    '11-02T06:00',
  ])
  // Also if asked during the second time.
  expect(firings('30 1 * * *', 'America/New_York', '2026-11-01T06:10Z', 1)).toEqual(['11-02T06:30'])
})

test('what fires every hour keeps firing every hour', () => {
  expect(firings('0 * * * *', 'America/New_York', '2026-11-01T04:30Z', 4)).toEqual([
    '11-01T05:00',
    '11-01T06:00',
    '11-01T07:00',
    '11-01T08:00',
  ])
  expect(firings('30 0-23 * * *', 'America/New_York', '2026-03-08T06:00Z', 3)).toEqual([
    '03-08T06:30',
    '03-08T07:30',
    '03-08T08:30',
  ])
})

test('a leap day is found across the year 2100', () => {
  expect(firings('0 0 29 2 *', 'Europe/Berlin', '2096-03-01T00:00Z', 1)).toEqual(['02-28T23:00'])
  expect(nextCronFiring(parseCron('0 0 29 2 *'), 'UTC', Date.UTC(2096, 2, 1))).toBe(Date.UTC(2104, 1, 29))
})

test.each([
  ['* * * *', 'five fields'],
  ['* * * * * *', 'five fields'],
  ['@daily', 'five fields'],
  ['60 * * * *', 'is not valid'],
  ['*/0 * * * *', 'is not valid'],
  ['5-1 * * * *', 'is not valid'],
  ['0 0 L * *', 'the day of the month is not valid'],
  ['0 0 15W * *', 'the day of the month is not valid'],
  ['0 0 ? * *', 'the day of the month is not valid'],
  ['0 0 * * 1#2', 'the day of the week is not valid'],
  ['0 0 * * 5L', 'the day of the week is not valid'],
  ['0 0 * * +MON', 'the day of the week is not valid'],
  ['MON * * * *', 'the minute is not valid'],
  ['1, * * * *', 'the minute is not valid'],
  [`0 0 * * ${'1,'.repeat(200)}1`, 'at most 255 characters'],
])('%s is rejected', (text, problem) => {
  expect(() => parseCron(text)).toThrow(problem)
})
