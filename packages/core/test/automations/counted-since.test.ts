import { expect, test } from 'vitest'
import { commandRetryTime, countedSince } from '../../src/index.ts'

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 10, 18, 12)

test('what waited while a tenant was suspended has its whole time again once it is resumed', () => {
  const since = NOON - 100 * HOUR_MS
  expect(commandRetryTime(countedSince(since, undefined), 1, NOON)).toBeUndefined()
  expect(commandRetryTime(countedSince(since, NOON), 1, NOON)).toBeGreaterThan(NOON)
  expect(commandRetryTime(countedSince(since, NOON), 1, NOON + 2 * HOUR_MS)).toBeUndefined()
})

test('a suspension that ended earlier changes nothing', () => {
  expect(countedSince(NOON, NOON - HOUR_MS)).toBe(NOON)
})
