import type { CronExpression } from './cron-expression.ts'
import { nextClockChange, offsetAt } from './zone-offsets.ts'

/** No clock change repeats more than a day. */
const LONGEST_REPEAT_MS = 26 * 60 * 60 * 1000

/**
 * The first firing of an expression after an instant; undefined if there is none.
 *
 * An expression that fires in every hour follows real time: it fires at each matching wall-clock time, also at one
 * that occurs twice. For any other, each matching wall-clock time happens exactly once: one that is skipped fires when
 * the clock jumps, and one that occurs twice fires the first time (docs/adr/0046).
 */
export function nextCronFiring(expression: CronExpression, zone: string, after: number): number | undefined {
  const isOncePerTime = !expression.firesEveryHour
  let offset = offsetAt(zone, after)
  let wall = after + offset
  if (isOncePerTime) wall = Math.max(wall, alreadySeen(zone, after, offset))
  for (let from = after; ;) {
    const match = expression.nextMatch(wall)
    if (match === undefined) return undefined
    const change = nextClockChange(zone, from, match - offset)
    if (change === undefined) return match - offset
    const newOffset = offsetAt(zone, change)
    const [oldWall, newWall] = [change + offset, change + newOffset]
    if (isOncePerTime && newWall > oldWall && match < newWall) return change
    // One earlier, so that a match at the change itself is found.
    wall = (isOncePerTime ? Math.max(oldWall, newWall) : newWall) - 1
    offset = newOffset
    from = change
  }
}

/** The last wall-clock time of before the clocks were set back, if that has just happened. */
function alreadySeen(zone: string, at: number, offset: number): number {
  const earlier = at - LONGEST_REPEAT_MS
  const earlierOffset = offsetAt(zone, earlier)
  if (earlierOffset <= offset) return -Infinity
  const change = nextClockChange(zone, earlier, at)
  return change === undefined ? -Infinity : change + earlierOffset - 1
}
