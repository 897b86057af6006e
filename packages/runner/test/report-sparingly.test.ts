import { expect, test } from 'vitest'
import { reportSparingly } from '../src/report-sparingly.ts'

test('ten errors a minute are reported, however many there are', () => {
  let now = 0
  const reported: unknown[] = []
  const report = reportSparingly(
    (error) => reported.push(error),
    () => now,
  )
  for (let error = 0; error < 100; error += 1) report(error)
  expect(reported).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  now = 60_000
  report('later')
  expect(reported.at(-1)).toBe('later')
})
