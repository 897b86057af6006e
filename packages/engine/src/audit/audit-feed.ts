import { bounded, isFull, progressAfter, type TransactionSnapshot } from '@skein/core'
import { AuditFeedStore, type Database, type ListedAudit, type Transaction } from '@skein/store'
import { SharedReads } from '../shared-reads.ts'
import { formatAuditCursor, type WatchedUntil } from './audit-cursor.ts'

const BATCH = 500

/** An entry is committed slightly after its time: never this long after it. Older months need not be looked through. */
const COMMITTED_WITHIN_MS = 60 * 60_000

/** Watches that have come equally far share their reads, so their times are not compared to the millisecond. */
const MINUTE_MS = 60_000

interface Batch {
  /** Each with how far a watch has come that has reported it. */
  readonly entries: readonly { readonly entry: ListedAudit; readonly reached: WatchedUntil }[]
  /** How far a watch has come that has reported all of them. */
  readonly reached: WatchedUntil
  /** Whether there was more to read. */
  readonly isPart: boolean
}

/** Reads the audit log once for all watches of a tenant that have come equally far, whatever they filter by. */
export class AuditFeed {
  readonly #database: Database
  readonly #snapshots = new SharedReads<TransactionSnapshot>()
  readonly #batches = new SharedReads<Batch>()

  constructor(database: Database) {
    this.#database = database
  }

  snapshot(tenantId: string): Promise<TransactionSnapshot> {
    return this.#snapshots.read(tenantId, async () =>
      bounded(await this.#read(tenantId, (store) => store.snapshot())),
    )
  }

  /** What a watch has yet to report. */
  after(tenantId: string, reached: WatchedUntil, now: number): Promise<Batch> {
    return reached.history ? this.#history(tenantId, reached) : this.#committed(tenantId, reached, now)
  }

  /** What its snapshot shows, by time. Then it goes on with what was committed since. */
  #history(tenantId: string, reached: WatchedUntil): Promise<Batch> {
    const { progress, history } = reached
    return this.#batches.read(`${tenantId} ${formatAuditCursor('', reached)}`, async () => {
      if (!history) throw new Error('A history has a place')
      const found = await this.#read(tenantId, (store) =>
        store.history(history, { until: progress, limit: BATCH }),
      )
      const entries = found.map((entry) => ({
        entry,
        reached: { ...reached, history: { micros: entry.micros, id: entry.id } },
      }))
      const last = entries.at(-1)
      const isPart = found.length === BATCH && last !== undefined
      return { entries, isPart, reached: isPart ? last.reached : { ...reached, history: undefined } }
    })
  }

  /** What was committed since, in the order of transactions. */
  async #committed(tenantId: string, { progress, at }: WatchedUntil, now: number): Promise<Batch> {
    const snapshot = await this.snapshot(tenantId)
    const since = Math.floor(at / MINUTE_MS) * MINUTE_MS
    const key = [progress, snapshot]
      .map((each) => formatAuditCursor('', { progress: each, at: since }))
      .join(' ')
    return this.#batches.read(`${tenantId} ${key}`, async () => {
      const notBefore = since - COMMITTED_WITHIN_MS
      const found = await this.#read(tenantId, (store) =>
        store.after(progress, { until: snapshot, notBefore, limit: BATCH }),
      )
      let last: WatchedUntil = { progress, at: since }
      const entries = found.map((entry) => {
        last = { progress: progressAfter(last.progress, snapshot, entry), at: since }
        return { entry, reached: last }
      })
      const isPart = found.length === BATCH
      // What waits for transactions that did not fit may become older than an hour meanwhile.
      const whole = { progress: snapshot, at: isFull(snapshot) ? since : now }
      return { entries, isPart, reached: isPart ? last : whole }
    })
  }

  #read<Result>(tenantId: string, read: (store: AuditFeedStore) => Promise<Result>): Promise<Result> {
    return this.#database.forTenant(tenantId, (transaction: Transaction) =>
      read(new AuditFeedStore(transaction)),
    )
  }
}
