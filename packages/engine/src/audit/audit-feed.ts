import { bounded, type TransactionSnapshot } from '@skein/core'
import { AuditFeedStore, type CommittedAudit, type Database } from '@skein/store'
import { SharedReads } from '../shared-reads.ts'
import { formatProgress, type WatchedUntil } from './audit-cursor.ts'

const BATCH = 500

/** An entry is committed slightly after its time: never this long after it. Older months need not be looked through. */
const COMMITTED_WITHIN_MS = 60 * 60_000

interface Batch {
  readonly snapshot: TransactionSnapshot
  readonly entries: readonly CommittedAudit[]
  /** Whether this is everything that the snapshot shows. */
  readonly isWhole: boolean
}

/** Reads the audit log once for all watches of a tenant that have come equally far, whatever they filter by. */
export class AuditFeed {
  readonly #database: Database
  readonly #snapshots = new SharedReads<TransactionSnapshot>()
  readonly #batches = new SharedReads<CommittedAudit[]>()

  constructor(database: Database) {
    this.#database = database
  }

  snapshot(tenantId: string): Promise<TransactionSnapshot> {
    return this.#snapshots.read(tenantId, async () =>
      bounded(
        await this.#database.forTenant(tenantId, (transaction) => new AuditFeedStore(transaction).snapshot()),
      ),
    )
  }

  /** What was committed since, in the order of transactions. */
  async after(tenantId: string, { progress, at }: WatchedUntil): Promise<Batch> {
    const snapshot = await this.snapshot(tenantId)
    const notBefore = at - COMMITTED_WITHIN_MS
    const key = [tenantId, formatProgress(progress), formatProgress(snapshot), notBefore].join(' ')
    const entries = await this.#batches.read(key, () =>
      this.#database.forTenant(tenantId, (transaction) =>
        new AuditFeedStore(transaction).after(progress, { until: snapshot, notBefore, limit: BATCH }),
      ),
    )
    return { snapshot, entries, isWhole: entries.length < BATCH }
  }
}
