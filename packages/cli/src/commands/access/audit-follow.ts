import type { AuditEntry, AuditWatchFilter, Skein } from '@skein/client'

export interface FollowAuditOptions {
  readonly filter: AuditWatchFilter
  /** A cursor. */
  readonly after: string | undefined
  /** How many earlier entries to begin with, if neither a cursor nor a time says where to start. */
  readonly limit: number
}

interface FollowedEntry {
  readonly entry: AuditEntry
  /** Where to continue after it; empty if that would leave out some of the earlier entries. */
  readonly cursor: string
}

/** Entries oldest first, then each new one. */
export async function* followAudit(
  skein: Pick<Skein, 'listAudit' | 'watchAudit'>,
  { filter, after, limit }: FollowAuditOptions,
): AsyncGenerator<FollowedEntry, void> {
  let cursor = after
  const known = new Set<string>()
  if (cursor === undefined && filter.startTime === undefined) {
    const page = await skein.listAudit({ ...filter, pageSize: limit })
    cursor = page.cursor
    for (const [index, entry] of page.entries.toReversed().entries()) {
      known.add(entry.id)
      yield { entry, cursor: index === page.entries.length - 1 ? cursor : '' }
    }
  }
  for await (const event of skein.watchAudit(filter, { after: cursor, reconnectForMs: Infinity })) {
    // One that was committed while the list was read is in both.
    if (!known.delete(event.entry.id)) yield event
  }
}
