import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatInt64, INT64_MAX, INT64_MIN, isInt64, parseInt64 } from '../src/index.ts'

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX })

describe('int64', () => {
  it('carries every 64-bit integer there and back without losing a digit', () => {
    fc.assert(
      fc.property(int64, (value) => {
        expect(parseInt64(formatInt64(value))).toBe(value)
      }),
    )
  })

  it('takes the first and the last value, and refuses their neighbours', () => {
    expect(parseInt64('9223372036854775807')).toBe(INT64_MAX)
    expect(parseInt64('-9223372036854775808')).toBe(INT64_MIN)
    expect(parseInt64('9223372036854775808')).toBeUndefined()
    expect(parseInt64('-9223372036854775809')).toBeUndefined()
  })

  it('refuses to format what does not fit', () => {
    expect(() => formatInt64(INT64_MAX + 1n)).toThrow(RangeError)
    expect(() => formatInt64(INT64_MIN - 1n)).toThrow(RangeError)
  })

  it.each(['', '-', '-0', '+1', '01', '1.0', '1e3', ' 1', '1 ', '1\n', '0x1', '1_000', '١', 'NaN'])(
    'knows only one spelling of a number, which %j is not',
    (text) => {
      expect(isInt64(text)).toBe(false)
    },
  )

  it('never throws on arbitrary text, and takes only what it would write itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?[0-9.eE+]{1,24}$/)), (text) => {
        const value = parseInt64(text)
        expect(value === undefined || formatInt64(value) === text).toBe(true)
      }),
    )
  })
})
