import { isAsking } from '@skein/client'
import type { FleetItem } from '../../live/fleet-item.ts'

export interface InboxParts {
  /** Who asks something. */
  readonly asking: readonly FleetItem[]
  readonly failed: readonly FleetItem[]
  /** Who waits for something that is nobody's answer. */
  readonly resting: readonly FleetItem[]
}

const RECENTLY_MS = 24 * 3_600_000

/** Those who have waited longest come first. */
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

/** A question is another one when the agent has run in between. */
export function questionKey({ key, entry }: FleetItem): string {
  return `${key}#${entry.runCount}`
}
