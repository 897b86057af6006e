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
  /** Where to continue after it; undefined if that would leave out some of the earlier entries. */
  readonly cursor: string | undefined
}

/** Entries oldest first, then each new one. */
export async function* followAudit(
  skein: Pick<Skein, 'listAudit' | 'watchAudit'>,
  { filter, after, limit }: FollowAuditOptions,
): AsyncGenerator<FollowedEntry, void> {
  let cursor = after
  const known = new Set<string>()
  if (cursor === undefined && filter.startTime === undefined) {
    const { entries, cursor: position } = await listNewest(skein, filter, limit)
    cursor = position
    for (const [index, entry] of entries.toReversed().entries()) {
      known.add(entry.id)
      yield { entry, cursor: index === entries.length - 1 ? cursor : undefined }
    }
  }
  for await (const event of skein.watchAudit(filter, { after: cursor, reconnectForMs: Infinity })) {
    // One that was committed while the list was read is in both.
    if (!known.delete(event.entry.id)) yield event
  }
}

const PAGE_SIZE = 1000

/** Newest first, with the position from before the first page was read. */
async function listNewest(
  skein: Pick<Skein, 'listAudit'>,
  filter: AuditWatchFilter,
  limit: number,
): Promise<{ entries: AuditEntry[]; cursor: string }> {
  const first = await skein.listAudit({ ...filter, pageSize: Math.min(limit, PAGE_SIZE) })
  const entries = [...first.entries]
  let pageToken = first.nextPageToken
  while (pageToken !== '' && entries.length < limit) {
    const pageSize = Math.min(limit - entries.length, PAGE_SIZE)
    const page = await skein.listAudit({ ...filter, pageSize, pageToken })
    entries.push(...page.entries)
    pageToken = page.nextPageToken
  }
  return { entries, cursor: first.cursor }
}
