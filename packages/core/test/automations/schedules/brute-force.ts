/** What an expression matches, as sets: independent of how it is written and of the library that reads it. */
export interface Sets {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** Whether the field is other than `*`. */
  readonly hasDays: boolean
  readonly hasWeekdays: boolean
}

const MINUTE_MS = 60_000

/** Looks at each minute of a span on a real clock of the zone. */
export function firingsByBruteForce(sets: Sets, zone: string, from: number, until: number): number[] {
  const clock = clockOf(zone)
  const isOncePerTime = sets.hours.size < 24
  const seen = new Set<number>()
  const firings: number[] = []
  let wallBefore = clock(from - 24 * 60 * MINUTE_MS) - MINUTE_MS
  for (let at = from - 24 * 60 * MINUTE_MS; at <= until; at += MINUTE_MS) {
    const wall = clock(at)
    let fires = matches(sets, wall) && !(isOncePerTime && seen.has(wall))
    if (isOncePerTime) {
      for (let skipped = wallBefore + MINUTE_MS; skipped < wall; skipped += MINUTE_MS) {
        if (matches(sets, skipped)) fires = true
      }
    }
    seen.add(wall)
    wallBefore = wall
    if (fires && at > from) firings.push(at)
  }
  return firings
}

function matches(sets: Sets, wall: number): boolean {
  const date = new Date(wall)
  if (!sets.minutes.has(date.getUTCMinutes()) || !sets.hours.has(date.getUTCHours())) return false
  if (!sets.months.has(date.getUTCMonth() + 1)) return false
  const isDay = sets.days.has(date.getUTCDate())
  const isWeekday = sets.weekdays.has(date.getUTCDay())
  return sets.hasDays && sets.hasWeekdays ? isDay || isWeekday : isDay && isWeekday
}

const clocks = new Map<string, (at: number) => number>()

/** The wall-clock time at an instant, as if it were UTC. */
function clockOf(zone: string): (at: number) => number {
  const known = clocks.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const read = new Map<number, number>()
  const clock = (at: number): number => {
    const remembered = read.get(at)
    if (remembered !== undefined) return remembered
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = format.format(at).split(/\D+/).map(Number)
    const wall = Date.UTC(year, month - 1, day, hour, minute)
    read.set(at, wall)
    return wall
  }
  clocks.set(zone, clock)
  return clock
}
