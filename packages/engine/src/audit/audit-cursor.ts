import { SkeinError } from '@skein/contract'
import type { AuditProgress, TransactionSnapshot } from '@skein/core'
import type { AuditHistoryPlace } from '@skein/store'
import { decodePageToken, encodePageToken } from '../paging.ts'

/** Numbers of transactions mean something only in their cell. */
const nameIn = (cell: string) => `audit-watch/${cell}`
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** The gaps between transactions in progress, in base 36. */
const GAPS = String.raw`(?:[0-9a-z]{1,10}(?:\.[0-9a-z]{1,10}){0,100})?`
/** Time, the next transaction, those in progress, what was reported of one of them, and the last entry of the history. */
const FORM = new RegExp(
  `^[0-9]{1,15} [1-9][0-9]{0,18} ${GAPS} (?:[1-9][0-9]{0,18} ${UUID}|0 0) (?:[0-9]{1,17} ${UUID}|0 0)$`,
)

/** How far a watch has come, and when. */
export interface WatchedUntil {
  readonly progress: AuditProgress
  /** Every entry that is missing was committed after this time. */
  readonly at: number
  /** Until here, what the progress includes was reported by time. Undefined once all of it was. */
  readonly history?: AuditHistoryPlace | undefined
}

/** Opaque to callers. */
export function formatAuditCursor(cell: string, { progress, at, history }: WatchedUntil): string {
  const place = [history?.micros ?? 0, history?.id ?? 0].map(String)
  return encodePageToken(nameIn(cell), [at.toString(), ...formatProgress(progress).split(' '), ...place])
}

function formatProgress({ next, open, part }: AuditProgress): string {
  const gaps = open.map((xid, index) => (xid - (open[index - 1] ?? 0n)).toString(36))
  return [next, gaps.join('.'), part?.xid ?? 0, part?.id ?? 0].join(' ')
}

/**
 * Where to continue; undefined without a cursor. The snapshot is a current one. What was committed in another cell has no
 * transaction here, so a cursor from before the tenant arrived would miss it.
 */
export function readAuditCursor(
  { cell, arrivedAt = -Infinity }: { readonly cell: string; readonly arrivedAt?: number | undefined },
  cursor: string,
  { next: latest }: TransactionSnapshot,
): WatchedUntil | undefined {
  const [at, next, gaps, xid, id, micros, historyId] =
    decodePageToken(nameIn(cell), { pageToken: cursor }, FORM) ?? []
  if (at === undefined || next === undefined || gaps === undefined || historyId === undefined)
    return undefined
  const progress = {
    next: BigInt(next),
    open: readGaps(gaps),
    ...(id !== undefined && id !== '0' && { part: { xid: BigInt(xid ?? 0), id } }),
  }
  const history = historyId === '0' ? undefined : { micros: BigInt(micros ?? 0), id: historyId }
  if (isSound(progress) && progress.next <= latest && Number(at) >= arrivedAt)
    return { progress, at: Number(at), history }
  throw new SkeinError('PAGE_TOKEN_INVALID', {
    message: 'The cursor is from another database: start again from a time.',
  })
}

/** A gap of zero would name a transaction twice. */
function isSound({ next, open, part }: AuditProgress): boolean {
  const isAscending = open.every((xid, index) => xid > (open[index - 1] ?? 0n))
  return isAscending && (open.at(-1) ?? 0n) < next && (part === undefined || open.includes(part.xid))
}

function readGaps(gaps: string): bigint[] {
  let xid = 0n
  return gaps === '' ? [] : gaps.split('.').map((gap) => (xid += BigInt(Number.parseInt(gap, 36))))
}
