import { isTerminal, type FleetFilter } from '@skein/client'
import { TERMINAL_PHASES } from '@skein/contract/facts'
import type { FleetItem } from '../../live/fleet-item.ts'
import { searchPhases, type FleetSearch } from './fleet-search.ts'
import { toFleetFilter } from './filters/fleet-filter.ts'
import type { CompareItems } from './sort-items.ts'

const RECENTLY_MS = 3_600_000

/** Of the ended ones, only so many of the youngest are asked for. */
export const MAX_ENDED = 200

/** Whether what has just ended is shown below what lives: unless somebody asks for something particular. */
export function showsRecent(search: FleetSearch): boolean {
  return search.ended !== true && search.asks !== true && searchPhases(search).length === 0
}

export function toEndedFilter(search: FleetSearch): FleetFilter {
  return {
    ...toFleetFilter(search),
    phases: TERMINAL_PHASES,
    includeTerminal: true,
  }
}

/** Live agents with those that ended in the last hour. One that was continued meanwhile is live. */
export function addRecentlyEnded(
  live: readonly FleetItem[],
  ended: readonly FleetItem[],
  nowMs: number,
): readonly FleetItem[] {
  const recent = ended.filter(({ entry }) => Date.parse(entry.endTime) >= nowMs - RECENTLY_MS)
  if (recent.length === 0) return live
  const known = new Set(live.map(({ key }) => key))
  return [...live, ...recent.filter(({ key }) => !known.has(key))]
}

export function hasEnded({ entry }: FleetItem): boolean {
  return isTerminal(entry.phase)
}

export function endedLast(compare: CompareItems): CompareItems {
  return (left, right) => Number(hasEnded(left)) - Number(hasEnded(right)) || compare(left, right)
}
