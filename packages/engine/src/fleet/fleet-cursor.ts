import { SkeinError } from '@skein/contract'
import type { FeedPosition, FleetFeed } from '@skein/store'
import { decodePageToken, encodePageToken } from '../paging.ts'

/** Shorter than the outbox is kept, so that whatever a cursor has not seen is still there. */
const CURSOR_LIFE_MS = 23 * 60 * 60 * 1000

/** As far as the clocks of two servers may be apart. */
const MAX_AHEAD_MS = 60_000

const NAME = 'fleet-cursor'
const FORM = /^[0-9]{1,19} [0-9]{1,18} [0-9]{1,15}$/

/** Opaque to callers: a place in the outbox, and when everything before it was known. */
export function formatCursor({ xid, id }: FeedPosition, at: number): string {
  return encodePageToken(NAME, [xid.toString(), id.toString(), at.toString()])
}

/** Where to go on; from now on without a cursor. */
export async function readCursor(feed: FleetFeed, cursor: string, now: number): Promise<FeedPosition> {
  const { settled, next } = await feed.horizon()
  const [xid, id, at] = decodePageToken(NAME, { pageToken: cursor }, FORM) ?? []
  if (xid === undefined || id === undefined) return { xid: settled, id: 0n }
  const position = { xid: BigInt(xid), id: BigInt(id) }
  const ageMs = now - Number(at)
  const isOfItsTime = ageMs <= CURSOR_LIFE_MS && ageMs >= -MAX_AHEAD_MS
  // Beyond what this database has begun: from one that was restored from a copy since. No transaction has the id 0.
  const isOfThisDatabase = position.xid > 0n && position.xid <= next
  if (isOfItsTime && isOfThisDatabase) return position
  throw new SkeinError('PAGE_TOKEN_INVALID', {
    message: 'The cursor is too old to go on from, or not of this database: list again.',
  })
}
