import { SkeinError } from '@skein/contract'
import { isWalPosition, laterPosition, type WalPosition } from '@skein/contract/facts'
import { isConnectionLost } from './database-errors.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'
import type { Transaction } from './transaction.ts'

const writtenUntil = statement(
  'written_until',
  `select p::text as position, left(pg_walfile_name(p), 8) as timeline from pg_current_wal_insert_lsn() as p`,
  { position: 'text', timeline: 'text' },
)

/** False on a server that is no replica, or no longer one. */
const hasReplayed = statement(
  'has_replayed',
  `select coalesce(pg_is_in_recovery() and p >= $1::pg_lsn, false) as wanted,
     coalesce(pg_is_in_recovery() and p >= $2::pg_lsn, false) as least
   from pg_last_wal_replay_lsn() as p`,
  { wanted: 'boolean', least: 'boolean' },
)

/** Where a read came from: the replica, or the primary, because the replica was late or failed. */
export type ReadFrom = 'replica' | 'late' | 'failed'

/** What a reader must see: what was committed before a position, or before now. */
export type ReadPosition = WalPosition | 'latest' | undefined

type Work<Result> = (transaction: Transaction) => Promise<Result>

interface ReadsOptions {
  /** Undefined if there is none: then everything is read from the primary. */
  readonly replica?: Database | undefined
  /** Answers are never older than this. */
  readonly maxLagMs: number
  readonly onRead?: (from: ReadFrom) => void
  readonly now?: () => number
}

/**
 * Reads that may come from a streaming replica. An answer comes from there only if the replica has everything that the
 * reader knows of, and everything that is older than the longest lag; from the primary otherwise. After a failure, the
 * replica is left alone until it was checked again.
 */
export class Reads {
  readonly #primary: Database
  readonly #replica: Database | undefined
  readonly #maxLagMs: number
  readonly #onRead: (from: ReadFrom) => void
  readonly #now: () => number
  /** Where the primary was at these times, oldest first. */
  readonly #samples: { readonly at: number; readonly position: WalPosition }[] = []
  #timeline: string | undefined
  #isAllowed = false

  constructor(primary: Database, { replica, maxLagMs, onRead, now }: ReadsOptions) {
    this.#primary = primary
    this.#replica = replica
    this.#maxLagMs = maxLagMs
    this.#onRead = onRead ?? (() => {})
    this.#now = now ?? (() => performance.now())
  }

  get replica(): Database | undefined {
    return this.#replica
  }

  /** Whether the replica was checked since it last failed. */
  get isAllowed(): boolean {
    return this.#isAllowed
  }

  /** The replica was checked, and may be read from. */
  allow(): void {
    this.#isAllowed = true
  }

  /** To be called several times within the longest lag. */
  async sample(): Promise<void> {
    // Before the position is read: it may be later than this, but not earlier.
    const at = this.#now()
    const { position, timeline } = await this.#writtenUntil('')
    // Another primary: what positions of the one before mean is unknown, and so is whether the replica follows it.
    if (this.#timeline !== undefined && this.#timeline !== timeline) {
      this.#samples.length = 0
      this.#isAllowed = false
    }
    this.#timeline = timeline
    this.#samples.push({ at, position })
    this.#forgetOld()
  }

  /** Behind everything that was committed before. Uses the tenant's share of the connections. */
  async position(tenantId: string): Promise<WalPosition> {
    return (await this.#writtenUntil(tenantId)).position
  }

  #writtenUntil(tenantId: string): Promise<{ position: WalPosition; timeline: string }> {
    return this.#primary.statement(async (transaction) => {
      const row = await transaction.row(writtenUntil, [])
      if (!row || !isWalPosition(row.position)) throw new Error('PostgreSQL has no position')
      return { position: row.position, timeline: row.timeline }
    }, tenantId)
  }

  /** Like the primary's. The work is repeated there if the replica cannot do it. */
  async forTenant<Result>(tenantId: string, seen: ReadPosition, work: Work<Result>): Promise<Result> {
    const found = await this.#fromReplica(tenantId, seen, work)
    return found ? found.result : this.#primary.forTenant(tenantId, work)
  }

  /** Like the primary's: for work that sends its statements before it waits for anything. */
  async readForTenant<Result>(tenantId: string, seen: ReadPosition, work: Work<Result>): Promise<Result> {
    const found = await this.#fromReplica(tenantId, seen, work)
    return found ? found.result : this.#primary.readForTenant(tenantId, work)
  }

  async #fromReplica<Result>(
    tenantId: string,
    seen: ReadPosition,
    work: Work<Result>,
  ): Promise<{ readonly result: Result } | undefined> {
    if (!this.#replica || !this.#isAllowed || seen === 'latest') return undefined
    const least = this.#leastPosition()
    if (least === undefined) return undefined
    const wanted = seen === undefined ? least : laterPosition(seen, least)
    try {
      const found = await this.#replica.forTenant(tenantId, async (transaction) => {
        // Asked first, so that what is read is not older. Sent together, so that it costs no round trip.
        const [row, result] = await Promise.all([
          transaction.row(hasReplayed, [wanted, least]),
          work(transaction),
        ])
        return { replayed: row?.wanted === true, isFarBehind: row?.least !== true, result }
      })
      // Otherwise every read would be done twice until it has caught up.
      if (found.isFarBehind) this.#isAllowed = false
      this.#onRead(found.replayed ? 'replica' : 'late')
      return found.replayed ? found : undefined
    } catch (error) {
      if (error instanceof SkeinError && error.code === 'NOT_FOUND') {
        // It may only be late.
        this.#onRead('late')
        return undefined
      }
      // The tenant's own doing, or its own share of the connections: the primary would say the same.
      if (error instanceof SkeinError && !isConnectionLost(error)) throw error
      this.#isAllowed = false
      this.#onRead('failed')
      return undefined
    }
  }

  /** Where the primary was within the longest lag, as long ago as is known. Undefined if nobody looked. */
  #leastPosition(): WalPosition | undefined {
    this.#forgetOld()
    return this.#samples[0]?.position
  }

  #forgetOld(): void {
    const earliest = this.#now() - this.#maxLagMs
    while (this.#samples[0] && this.#samples[0].at < earliest) this.#samples.shift()
  }
}
