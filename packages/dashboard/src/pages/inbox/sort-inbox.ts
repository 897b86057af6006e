import { isAsking } from '@skein/client'
import type { FleetItem } from '../../live/fleet-item.ts'

export interface InboxParts {
  /** Agents that are asking something. */
  readonly asking: readonly FleetItem[]
  readonly failed: readonly FleetItem[]
  /** Agents that wait for something other than an answer. */
  readonly resting: readonly FleetItem[]
}

const RECENTLY_MS = 24 * 3_600_000

/** Longest waiting first. */
export function sortInbox(
  waiting: readonly FleetItem[],
  failed: readonly FleetItem[],
  nowMs: number,
): InboxParts {
  return {
    asking: waiting.filter(({ entry }) => isAsking(entry)).sort(compareWaits),
    failed: failed.filter((item) => endMs(item) >= nowMs - RECENTLY_MS).sort((a, b) => endMs(a) - endMs(b)),
    resting: waiting.filter(({ entry }) => !isAsking(entry)).sort(compareWaits),
  }
}

function compareWaits(left: FleetItem, right: FleetItem): number {
  return left.progressMs - right.progressMs || (left.key < right.key ? -1 : 1)
}

function endMs({ entry }: FleetItem): number {
  return Date.parse(entry.endTime === '' ? entry.progressAt : entry.endTime)
}

/** After another run, it is a new question. */
export function questionKey({ key, entry }: FleetItem): string {
  return `${key}#${entry.runCount}`
}
