import type { TimelineEvent } from '@skein/client'

type Events = readonly TimelineEvent[]

/** Sequences start at 1 and always fit into a number. */
export function sequenceOf(event: TimelineEvent): number {
  return Number(event.sequence)
}

/** 0 if no event is known. */
export function lastSequenceOf(events: Events): number {
  const last = events.at(-1)
  return last === undefined ? 0 : sequenceOf(last)
}

export function firstSequenceOf(events: Events): number | undefined {
  const first = events[0]
  return first === undefined ? undefined : sequenceOf(first)
}

/** Merges both in order, without duplicates. Returns the same array if nothing is new. */
export function mergeEvents(known: Events, incoming: Events): Events {
  if (incoming.length === 0) return known
  const last = lastSequenceOf(known)
  // New events usually go to the end, without looking at the rest.
  if (isAscending(incoming) && incoming.every((event) => sequenceOf(event) > last))
    return [...known, ...incoming]
  const bySequence = new Map<number, TimelineEvent>()
  for (const event of [...known, ...incoming]) bySequence.set(sequenceOf(event), event)
  if (bySequence.size === known.length) return known
  return [...bySequence.entries()].sort(([one], [other]) => one - other).map(([, event]) => event)
}

function isAscending(events: Events): boolean {
  return events.every((event, index) => {
    const before = events[index - 1]
    return before === undefined || sequenceOf(before) < sequenceOf(event)
  })
}

export interface EventRange {
  /** The page starts after this event. */
  readonly after: number
  readonly count: number
}

/** The page before what is known; undefined at the beginning. */
export function rangeBefore(firstKnown: number, size: number): EventRange | undefined {
  const after = Math.max(0, firstKnown - 1 - size)
  const count = firstKnown - 1 - after
  return count > 0 ? { after, count } : undefined
}
