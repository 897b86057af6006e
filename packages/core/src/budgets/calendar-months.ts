import { nextClockChange, offsetAt } from '../automations/schedules/zone-offsets.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** When calendar months begin in a time zone: the one that `at` is in, then the following. */
export function monthStarts(zone: string, at: number, amount: number): number[] {
  const local = new Date(at + offsetAt(zone, at))
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth()]
  // Clocks that were set back at midnight show the month before for a while: its days are over by then.
  const current = at >= monthStart(zone, year, month + 1) ? month + 1 : month
  return Array.from({ length: amount }, (_, index) => monthStart(zone, year, current + index))
}

/** The first instant at which the zone's clocks show the first day of the month. Months count on over the year's end. */
function monthStart(zone: string, year: number, month: number): number {
  const midnight = Date.UTC(year, month, 1)
  const [before, after] = [midnight - 2 * DAY_MS, midnight + 2 * DAY_MS]
  const candidates = [offsetAt(zone, before), offsetAt(zone, after)].map((offset) => midnight - offset)
  const shown = candidates.filter((instant) => instant + offsetAt(zone, instant) === midnight)
  // No clock shows midnight if it was skipped: then the day begins with the clock change.
  return shown.length > 0 ? Math.min(...shown) : (nextClockChange(zone, before, after) ?? midnight)
}
