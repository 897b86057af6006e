import { expect, test } from 'vitest'
import { commandRetryTime } from '../../src/index.ts'

const NOW = 1_000_000_000

test('pauses double up to a minute', () => {
  const pauses = [0, 1, 2, 5, 6, 1_000].map((failures) => (commandRetryTime(NOW, failures, NOW) ?? 0) - NOW)
  expect(pauses).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000])
})

test('after an hour it is given up', () => {
  const hour = 60 * 60 * 1000
  expect(commandRetryTime(NOW - hour, 3, NOW)).toBe(NOW + 8_000)
  expect(commandRetryTime(NOW - hour - 1, 3, NOW)).toBeUndefined()
})
