import { formatSnapshot, parseSnapshot, type AuditProgress, type TransactionSnapshot } from '@skein/core'
import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'
import { AUDIT_COLUMNS, AUDIT_FIELDS, toAuditRecord, type ListedAudit } from './audit-store.ts'

/** An entry with its transaction. */
interface CommittedAudit extends ListedAudit {
  readonly xid: bigint
}

const snapshot = statement('audit_snapshot', 'select pg_current_snapshot()::text as snapshot', {
  snapshot: 'text',
})

/** An entry that is visible now is left out if its transaction was in progress at the time of the snapshot. */
const COMMITTED = `select ${AUDIT_FIELDS}, xid from audit
     where tenant_id = skein_current_tenant() and created_at >= $6
       and xid > '1' and xid < pg_snapshot_xmax($5::pg_snapshot) and pg_visible_in_snapshot(xid, $5::pg_snapshot)`

/** Two parts, so that a transaction that stays open for long costs nothing: what came after it is not read again. */
const after = statement(
  'audit_feed_after',
  `select ${AUDIT_FIELDS}, xid::text from (
     (${COMMITTED} and xid = any ($2::xid8[]) and (xid is distinct from $3::xid8 or id > $4::uuid) order by xid, id limit $7)
     union all
     (${COMMITTED} and xid >= $1::xid8 order by xid, id limit $7)
   ) as found order by found.xid, id limit $7`,
  { ...AUDIT_COLUMNS, xid: 'text' },
)

/** An entry in the order of time, exactly: two may have the same millisecond. */
export interface AuditHistoryPlace {
  readonly micros: bigint
  readonly id: string
}

/** By time, which is how entries from before their transactions were recorded can be read. */
const history = statement(
  'audit_feed_history',
  `select ${AUDIT_FIELDS}, (extract(epoch from created_at) * 1000000)::bigint as micros from audit
   where tenant_id = skein_current_tenant()
     and (created_at, id) > ('epoch'::timestamptz + $1::bigint * interval '1 microsecond', $2::uuid)
     and pg_visible_in_snapshot(xid, $3::pg_snapshot)
   order by created_at, id limit $4`,
  { ...AUDIT_COLUMNS, micros: 'bigint' },
)

/** The audit log of the transaction's tenant in the order of transactions. */
export class AuditFeedStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async snapshot(): Promise<TransactionSnapshot> {
    return parseSnapshot((await this.#transaction.row(snapshot, []))?.snapshot ?? '')
  }

  /** What the snapshot shows, by time, after a place. */
  async history(
    { micros, id }: AuditHistoryPlace,
    { until, limit }: { until: TransactionSnapshot; limit: number },
  ): Promise<(ListedAudit & AuditHistoryPlace)[]> {
    const rows = await this.#transaction.rows(history, [micros, id, formatSnapshot(until), limit])
    return rows.map((row) => ({ ...toAuditRecord(row), micros: BigInt(row.micros) }))
  }

  /** What the snapshot shows and was not reported yet, if it is not older than a time. */
  async after(
    progress: AuditProgress,
    { until, notBefore, limit }: { until: TransactionSnapshot; notBefore: number; limit: number },
  ): Promise<CommittedAudit[]> {
    const { next, open, part } = progress
    const rows = await this.#transaction.rows(after, [
      next.toString(),
      open.map(String),
      part?.xid.toString() ?? null,
      part?.id ?? null,
      formatSnapshot(until),
      new Date(notBefore),
      limit,
    ])
    return rows.map((row) => ({ ...toAuditRecord(row), xid: BigInt(row.xid) }))
  }
}
