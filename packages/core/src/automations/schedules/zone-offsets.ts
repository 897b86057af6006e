/** Offsets of IANA time zones from UTC, as the platform knows them. */

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Shorter than any time between two clock changes of one zone. */
const STEP_MS = 7 * DAY_MS
/** More spellings than there are zones: names are not case-sensitive. */
const MAX_CACHED = 1000

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/

const formats = new Map<string, Intl.DateTimeFormat>()

export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name)) return false
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** How far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(zone: string, instant: number): number {
  const match = OFFSET.exec(formatOf(zone).format(instant))
  if (!match) throw new TypeError(`The platform does not say the offset of ${zone}`)
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match
  const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offsetMs : offsetMs
}

/** The first instant after `after`, up to `until`, at which the clocks of a zone change; undefined if there is none. */
export function nextClockChange(zone: string, after: number, until: number): number | undefined {
  const before = offsetAt(zone, after)
  for (let from = after; from < until; from += STEP_MS) {
    const to = Math.min(from + STEP_MS, until)
    if (offsetAt(zone, to) !== before) return bisect(zone, from, to, before)
  }
  return undefined
}

/** The first instant with another offset. Clocks change at whole seconds. */
function bisect(zone: string, from: number, to: number, before: number): number {
  let same = Math.floor(from / 1000)
  let changed = Math.ceil(to / 1000)
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2)
    if (offsetAt(zone, middle * 1000) === before) same = middle
    else changed = middle
  }
  return changed * 1000
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  if (formats.size >= MAX_CACHED) formats.clear()
  formats.set(zone, made)
  return made
}
