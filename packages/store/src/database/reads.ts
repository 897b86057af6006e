import { SkeinError } from '@skein/contract'
import type { Database } from './database.ts'
import { statement } from './statement.ts'
import type { Transaction } from './transaction.ts'
import { isWalPosition, laterPosition, type WalPosition } from './wal-position.ts'

const writtenUntil = statement('written_until', 'select pg_current_wal_insert_lsn()::text as position', {
  position: 'text',
})

/** Null, and so not yet, on a server that is no replica, or no longer one. */
const hasReplayed = statement(
  'has_replayed',
  'select coalesce(pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as replayed',
  { replayed: 'boolean' },
)

/** After a failure, the replica is left alone for so long. */
const REST_MS = 5_000

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
 * reader knows of, and everything that is older than the longest lag; from the primary otherwise.
 */
export class Reads {
  readonly #primary: Database
  readonly #replica: Database | undefined
  readonly #maxLagMs: number
  readonly #onRead: (from: ReadFrom) => void
  readonly #now: () => number
  /** Where the primary was at these times, oldest first. */
  readonly #samples: { readonly at: number; readonly position: WalPosition }[] = []
  #isUsable = false
  #restsUntil = 0

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

  /** The replica was checked, and may be read from. */
  allow(): void {
    this.#isUsable = true
  }

  /** To be called several times within the longest lag. */
  async sample(): Promise<void> {
    // Before the position is read: it may be later than this, but not earlier.
    const at = this.#now()
    this.#samples.push({ at, position: await this.position() })
    while ((this.#samples[1]?.at ?? Infinity) <= this.#now() - this.#maxLagMs) this.#samples.shift()
  }

  /** Behind everything that was committed before. */
  position(): Promise<WalPosition> {
    return this.#primary.statement(async (transaction) => {
      const row = await transaction.row(writtenUntil, [])
      if (!row || !isWalPosition(row.position)) throw new Error('PostgreSQL has no position')
      return row.position
    })
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
    if (!this.#replica || !this.#isUsable || seen === 'latest') return undefined
    const least = this.#leastPosition()
    if (least === undefined || this.#now() < this.#restsUntil) return undefined
    const wanted = seen === undefined ? least : laterPosition(seen, least)
    try {
      const found = await this.#replica.forTenant(tenantId, async (transaction) => {
        // Asked first, so that what is read is not older. Sent together, so that it costs no round trip.
        const [row, result] = await Promise.all([transaction.row(hasReplayed, [wanted]), work(transaction)])
        return row?.replayed === true ? { result } : undefined
      })
      this.#onRead(found ? 'replica' : 'late')
      return found
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error
      // What is not found may only be late.
      if (error.code === 'NOT_FOUND') this.#onRead('late')
      else if (error.isFinal) throw error
      else {
        this.#restsUntil = this.#now() + REST_MS
        this.#onRead('failed')
      }
      return undefined
    }
  }

  /** Where the primary was, the longest lag ago. Undefined if nobody looked then. */
  #leastPosition(): WalPosition | undefined {
    const [oldest] = this.#samples
    return oldest && oldest.at <= this.#now() - this.#maxLagMs ? oldest.position : undefined
  }
}
