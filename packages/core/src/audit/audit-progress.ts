/** At most this many transactions in progress fit into a cursor. Entries after them wait until some have ended. */
const MAX_OPEN = 100

/** What PostgreSQL's snapshot says: every transaction below `next` has ended, except those that are `open`. */
export interface TransactionSnapshot {
  readonly next: bigint
  /** In ascending order, all below `next`. */
  readonly open: readonly bigint[]
}

/** Position of an entry: its transaction, and its id among the entries of that. */
export interface CommittedPlace {
  readonly xid: bigint
  readonly id: string
}

/**
 * Which entries of the audit log were reported: those of every transaction below `next` except the `open` ones, and of the
 * transaction of `part`, which is one of the open ones, those up to its id. Exact, although transactions do not commit in the
 * order of their numbers (docs/adr/0067).
 */
export interface AuditProgress extends TransactionSnapshot {
  readonly part?: CommittedPlace | undefined
}

/** So small that it fits into a cursor. Never behind progress that fits into one. */
export function bounded({ next, open }: TransactionSnapshot): TransactionSnapshot {
  const first = open[MAX_OPEN]
  return first === undefined ? { next, open } : { next: first, open: open.slice(0, MAX_OPEN) }
}

/** Whether entries may wait for a transaction that did not fit. */
export function isFull({ open }: TransactionSnapshot): boolean {
  return open.length >= MAX_OPEN
}

/**
 * After an entry was reported, and everything before it in the order of transactions and ids that the snapshot shows and the
 * progress lacks.
 */
export function progressAfter(
  progress: AuditProgress,
  snapshot: TransactionSnapshot,
  place: CommittedPlace,
): AuditProgress {
  const isOpen = new Set(snapshot.open)
  const open = new Set([
    ...progress.open.filter((xid) => xid > place.xid || isOpen.has(xid)),
    ...snapshot.open.filter((xid) => xid >= progress.next && xid < place.xid),
    // There may be more of it.
    place.xid,
  ])
  return {
    next: place.xid < progress.next ? progress.next : place.xid + 1n,
    open: [...open].toSorted((one, other) => (one < other ? -1 : 1)),
    part: place,
  }
}

/** Whether an entry has yet to be reported. Must match the SQL that reads them. */
export function isUnreported({ next, open, part }: AuditProgress, { xid, id }: CommittedPlace): boolean {
  if (part?.xid === xid) return id > part.id
  return xid >= next || open.includes(xid)
}

export function parseSnapshot(text: string): TransactionSnapshot {
  const [, next = '0', open = ''] = text.split(':')
  return { next: BigInt(next), open: open === '' ? [] : open.split(',').map(BigInt) }
}

export function formatSnapshot({ next, open }: TransactionSnapshot): string {
  return `${open[0] ?? next}:${next}:${open.join(',')}`
}
