/** How many events a segment has at most, and about how many bytes before compression: a read needs a whole segment. */
export const SEGMENT_LIMITS = { events: 2_000, bytes: 1024 * 1024 } as const

/**
 * What no reader of the table needs any more: a replay of what was not delivered looks back a month, but only at what is
 * held for it; the fleet's totals and the outbox look back a week.
 */
export const MIN_SEGMENT_DAYS = 14

interface Movable {
  readonly sequence: bigint
  /** Epoch milliseconds. */
  readonly at: number
}

interface Bounds {
  /** Only events from before this time. */
  readonly before: number
  /** The first event that something still needs in the table. */
  readonly heldFrom: bigint | undefined
}

const DAY_MS = 86_400_000

/** Whole months are moved, so that a month of the table can be dropped: the beginning of the first one that stays. */
export function movedBefore(now: number, days: number): number {
  const date = new Date(now - days * DAY_MS)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

/**
 * How many of an agent's oldest events go into the next segment. Clocks of servers differ a little, so an event can be
 * older than the one before it: what is behind an event that stays must stay too.
 */
export function countMovable(events: readonly Movable[], { before, heldFrom }: Bounds): number {
  const stays = events.findIndex(
    ({ sequence, at }) => at >= before || (heldFrom !== undefined && sequence >= heldFrom),
  )
  return stays === -1 ? events.length : stays
}

/** How many of these events go into one segment: those of the first one's month, so that it expires as the month would. */
export function countOfMonth(events: readonly Pick<Movable, 'at'>[]): number {
  const [first] = events
  const other = events.findIndex(({ at }) => first && monthOf(at) !== monthOf(first.at))
  return other === -1 ? events.length : other
}

/** Counted from the beginning of time. */
function monthOf(at: number): number {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
