import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, isDuration, parseDuration } from '../src/index.ts'

const LONGEST_MS = 315_576_000_000_000

describe('duration', () => {
  it('reads back what it writes, to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: -LONGEST_MS, max: LONGEST_MS }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs)
      }),
    )
  })

  it('writes no more digits than the value needs', () => {
    expect([0, 1, 90_000, 1500, -1500, 10_010].map(formatDuration)).toEqual([
      '0s',
      '0.001s',
      '90s',
      '1.5s',
      '-1.5s',
      '10.01s',
    ])
  })

  it('drops what is finer than a millisecond, and has one zero', () => {
    expect(parseDuration('0.000999999s')).toBe(0)
    expect(Object.is(parseDuration('-0s'), 0)).toBe(true)
    expect(formatDuration(-0.4)).toBe('0s')
  })

  it.each(['', 's', '1', '1.s', '.5s', '1.1234567890s', '+1s', '1 s', '1m', '1e3s', '315576000001s', '1s\n'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  it('never throws on arbitrary text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof isDuration(text)).toBe('boolean')
      }),
    )
  })
})
