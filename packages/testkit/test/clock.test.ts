import { expect, test } from 'vitest'
import { TestClock } from '../src/clock.ts'

test('a test clock stands still until it is advanced', () => {
  const clock = new TestClock(1_000)
  expect(clock.now()).toBe(1_000)
  clock.advance(250)
  expect(clock.now()).toBe(1_250)
  clock.set(5)
  expect(clock.now()).toBe(5)
})

test.each([-1, Number.NaN])('a test clock refuses to advance by %d', (ms) => {
  const clock = new TestClock()
  const before = clock.now()
  expect(() => clock.advance(ms)).toThrow(RangeError)
  expect(clock.now()).toBe(before)
})
