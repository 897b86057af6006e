import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatTimestamp, isTimestamp, parseTimestamp } from '../src/index.ts'

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
const DAY_MS = 86_400_000

const instant = fc.integer({ min: EARLIEST, max: LATEST })
const offsetMinutes = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 })

const two = (value: number): string => String(value).padStart(2, '0')

/** The same instant as someone far away would write it. */
function withOffset(epochMs: number, minutes: number): string {
  const local = new Date(epochMs + minutes * 60_000).toISOString().slice(0, -1)
  const size = Math.abs(minutes)
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

describe('timestamp', () => {
  it('writes UTC with milliseconds, and reads back the same instant', () => {
    fc.assert(
      fc.property(instant, (epochMs) => {
        const text = formatTimestamp(epochMs)
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        expect(parseTimestamp(text)).toBe(epochMs)
      }),
    )
  })

  it('reads any offset as the instant that it names', () => {
    const inner = fc.integer({ min: EARLIEST + DAY_MS, max: LATEST - DAY_MS })
    fc.assert(
      fc.property(inner, offsetMinutes, (epochMs, minutes) => {
        expect(parseTimestamp(withOffset(epochMs, minutes))).toBe(epochMs)
      }),
    )
  })

  it('takes a date exactly when the calendar has it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat(14), fc.nat(33), (year, month, day) => {
        const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
        const parsed = new Date(`${date}T00:00:00.000Z`)
        const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
        expect(isTimestamp(`${date}T00:00:00Z`)).toBe(exists)
      }),
    )
  })

  it.each([
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+00:60',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00+0000',
    '2026-01-01',
    '2026-01-01T00:00:00Z\n',
    '',
  ])('refuses %j, which names no instant', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })

  it('takes leap days, lower case letters and up to nine decimals, and keeps the milliseconds', () => {
    expect(isTimestamp('2028-02-29T00:00:00Z')).toBe(true)
    expect(parseTimestamp('2026-11-15t09:30:00.5z')).toBe(Date.parse('2026-11-15T09:30:00.500Z'))
    expect(parseTimestamp('2026-11-15T09:30:00.123999999Z')).toBe(Date.parse('2026-11-15T09:30:00.123Z'))
  })

  it('never throws on arbitrary text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof isTimestamp(text)).toBe('boolean')
      }),
    )
  })
})
