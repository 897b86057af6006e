import { expect, test } from 'vitest'
import * as fc from 'fast-check'
import { monthStarts } from '../../src/index.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'America/Santiago',
  'Asia/Beirut',
  'Africa/Cairo',
]

/** What a calendar in the zone shows, such as `2026-11-01 00:00:00`. */
function shown(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(at)
}

test('a month begins when calendars of its zone turn to the first', () => {
  const at = Date.UTC(2026, 10, 18, 2)
  const starts = (zone: string) => monthStarts(zone, at, 2).map((start) => new Date(start).toISOString())
  expect(starts('UTC')).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'])
  expect(starts('Europe/Berlin')).toEqual(['2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z'])
  expect(starts('Asia/Kathmandu')).toEqual(['2026-10-31T18:15:00.000Z', '2026-11-30T18:15:00.000Z'])
})

/** The length of a month of 2026. */
function hours(zone: string, month: number): number {
  const [start = 0, end = 0] = monthStarts(zone, Date.UTC(2026, month, 15), 2)
  return (end - start) / 3_600_000
}

test('summer time that begins or ends in a month makes it an hour shorter or longer', () => {
  expect(hours('Europe/Berlin', 2)).toBe(31 * 24 - 1)
  expect(hours('Europe/Berlin', 9)).toBe(31 * 24 + 1)
})

test('a first day that a zone skipped begins with the clock change', () => {
  // Samoa skipped 30 December 2011.
  const [start = 0] = monthStarts('Pacific/Apia', Date.UTC(2012, 0, 15), 1)
  expect(shown('Pacific/Apia', start)).toBe('2012-01-01 00:00:00')
  // In Amman, summer time began on 1 April 2016 at midnight.
  const [april = 0] = monthStarts('Asia/Amman', Date.UTC(2016, 3, 15), 1)
  expect(shown('Asia/Amman', april)).toMatch(/^2016-04-01 0[01]:00:00$/)
  expect(shown('Asia/Amman', april - 1000)).toMatch(/^2016-03-31 23:59:59$/)
})

test('in every zone, months follow each other without gaps, and each instant is in the month that calendars show', () => {
  const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2040, 0) })
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instant, (zone, at) => {
      const starts = monthStarts(zone, at, 14)
      const [current = 0, next = 0] = starts
      expect(current).toBeLessThanOrEqual(at)
      expect(next).toBeGreaterThan(at)
      expect(shown(zone, current).slice(0, 7)).toBe(shown(zone, at).slice(0, 7))
      expect(monthStarts(zone, next, 13)).toEqual(starts.slice(1))
      for (const start of starts) {
        expect(shown(zone, start)).toMatch(/-01 0[0-2]:/)
        expect(shown(zone, start - 1000)).not.toMatch(/-01 /)
      }
    }),
    { numRuns: Math.min(Number(process.env['SKEIN_PROPERTY_RUNS'] ?? 200), 10_000) },
  )
})
