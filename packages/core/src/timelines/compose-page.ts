interface Numbered {
  readonly sequence: bigint
}

/** Which events a reader wants: after the first (exclusive), until the last (inclusive), so many. */
export interface PageSpan {
  readonly after: bigint
  readonly until?: bigint
  readonly limit: number
}

/** Whether segments may have events that come before those of the table: sequences have no gaps. */
export function needsSegments(rows: readonly Numbered[], { after }: PageSpan, newest: bigint): boolean {
  const first = rows[0]?.sequence
  return first === undefined ? newest > after : first > after + 1n
}

/**
 * A page from events of segments and of the table. The table was read first, so an event that was moved in between is in
 * both.
 */
export function composePage<Event extends Numbered>(
  old: readonly Event[],
  rows: readonly Event[],
  { after, until, limit }: PageSpan,
): Event[] {
  const page: Event[] = []
  let last = after
  for (const event of [...old, ...rows]) {
    if (page.length === limit) break
    if (event.sequence <= last || (until !== undefined && event.sequence > until)) continue
    page.push(event)
    last = event.sequence
  }
  return page
}
