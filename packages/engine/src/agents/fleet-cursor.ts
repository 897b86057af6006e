import { SkeinError } from '@skein/contract'
import type { FeedPosition, FleetFeed } from '@skein/store'
import { decodePageToken, encodePageToken } from '../paging.ts'

/** Shorter than the outbox's retention, so that everything a cursor hasn't seen is still there. */
const CURSOR_LIFE_MS = 23 * 60 * 60 * 1000

/** Maximum clock difference between two servers. */
const MAX_AHEAD_MS = 60_000

/** Numbers of transactions mean something only in their cell: of a tenant that moved, older cursors are refused. */
const nameIn = (cell: string) => `fleet-cursor/${cell}`
const FORM = /^[0-9]{1,19} [0-9]{1,18} [0-9]{1,15}$/

/** Opaque to callers: a position in the outbox, and a time when everything before it was known. */
export function formatCursor(cell: string, { xid, id }: FeedPosition, at: number): string {
  return encodePageToken(nameIn(cell), [xid.toString(), id.toString(), at.toString()])
}

/** Where to continue. Without a cursor, from now on. */
export async function readCursor(
  feed: FleetFeed,
  {
    cell,
    cursor,
    now,
    arrivedAt = -Infinity,
  }: {
    readonly cell: string
    readonly cursor: string
    readonly now: number
    /** When the tenant came to this cell. What happened elsewhere is not in the outbox: also if it has come back. */
    readonly arrivedAt?: number | undefined
  },
): Promise<FeedPosition> {
  const { settled, next } = await feed.horizon()
  const [xid, id, at] = decodePageToken(nameIn(cell), { pageToken: cursor }, FORM) ?? []
  if (xid === undefined || id === undefined) return { xid: settled, id: 0n }
  const position = { xid: BigInt(xid), id: BigInt(id) }
  const ageMs = now - Number(at)
  const isOfItsTime = ageMs <= CURSOR_LIFE_MS && ageMs >= -MAX_AHEAD_MS && Number(at) >= arrivedAt
  // A higher id than this database has assigned comes from before a restore. No transaction has id 0.
  const isOfThisDatabase = position.xid > 0n && position.xid <= next
  if (isOfItsTime && isOfThisDatabase) return position
  throw new SkeinError('PAGE_TOKEN_INVALID', {
    message: 'The cursor is too old, or from another database: list again.',
  })
}
