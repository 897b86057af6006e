import { isTerminal, type FleetFilter } from '@skein/client'
import { TERMINAL_PHASES } from '@skein/contract/facts'
import type { FleetItem } from '../../live/fleet-item.ts'
import { searchPhases, type FleetSearch } from './fleet-search.ts'
import { toFleetFilter } from './filters/fleet-filter.ts'
import type { CompareItems } from './sort-items.ts'

const RECENTLY_MS = 3_600_000

/** Maximum number of ended agents, newest first. */
export const MAX_ENDED = 200

/** Whether recently ended agents are shown below live ones: unless the filter asks for something specific. */
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

/** Live agents plus those that ended in the last hour. One that was resumed meanwhile counts as live. */
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
