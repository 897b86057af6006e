import type { Transaction } from '../database/transaction.ts'
import type { RowOf } from '../database/columns.ts'
import { statement } from '../database/statement.ts'

/** A position in the outbox: everything up to here was seen. */
export interface FeedPosition {
  readonly xid: bigint
  readonly id: bigint
}

interface FeedRow extends FeedPosition {
  readonly agentId: string
}

const horizon = statement(
  'fleet_feed_horizon',
  `select pg_snapshot_xmin(s)::text as settled, pg_snapshot_xmax(s)::text as next from pg_current_snapshot() s`,
  { settled: 'text', next: 'text' },
)

/** Null if nothing is found. The horizon is returned anyway. */
const FOUND = { agent_id: 'uuid?', xid: 'text?', id: 'text?' } as const

/**
 * The horizon comes from the same snapshot as the rows. All its rows were written before its end, except in a
 * database restored from a copy of another one, whose rows would otherwise be read again every time.
 */
const after = statement(
  'fleet_feed_after',
  `select pg_snapshot_xmin(pg_current_snapshot())::text as settled, o.agent_id, o.xid::text, o.id::text
   from (select) as once left join lateral (
     select agent_id, xid, id from outbox
     where tenant_id = skein_current_tenant() and (xid, id) > ($1::xid8, $2::bigint)
       and xid < pg_snapshot_xmax(pg_current_snapshot())
     order by xid, id limit $3) o on true
   order by o.xid, o.id`,
  { settled: 'text', ...FOUND },
)

/**
 * Which agents of the transaction's tenant changed, in transaction order. All transactions before the horizon have
 * ended, so their rows are complete. Beyond it, others may still commit in between.
 */
export class FleetFeed {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** `next` is the first unassigned transaction id: a position beyond it comes from another database. */
  async horizon(): Promise<{ readonly settled: bigint; readonly next: bigint }> {
    const row = await this.#transaction.row(horizon, [])
    return { settled: BigInt(row?.settled ?? 0), next: BigInt(row?.next ?? 0) }
  }

  async after(
    position: FeedPosition,
    limit: number,
  ): Promise<{ readonly settled: bigint; readonly rows: FeedRow[] }> {
    const rows = await this.#transaction.rows(after, [position.xid.toString(), position.id, limit])
    return { settled: BigInt(rows[0]?.settled ?? 0), rows: rows.flatMap(toFeedRow) }
  }
}

function toFeedRow({ agent_id: agentId, xid, id }: RowOf<typeof FOUND>): FeedRow[] {
  return agentId === null || xid === null || id === null
    ? []
    : [{ agentId, xid: BigInt(xid), id: BigInt(id) }]
}
