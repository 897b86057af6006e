import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/** Somebody with events in the table that are old enough to move: an agent, or a tenant with events of its own. */
export interface OldTimeline {
  readonly tenantId: string
  readonly agentId: string
  /** Whether its tenant is neither being deleted nor moved to another cell. */
  readonly isOpen: boolean
}

const findOld = statement(
  'find_old_timelines',
  'select tenant_id, agent_id, is_open from find_old_timelines($1, $2, $3)',
  { tenant_id: 'uuid', agent_id: 'uuid', is_open: 'boolean' },
)

const takeTurn = statement('take_segment_turn', 'select take_segment_turn($1, $2) as after_agent', {
  after_agent: 'uuid?',
})

const keepTurn = statement('keep_segment_turn', 'select keep_segment_turn($1, $2, $3) as is_kept', {
  is_kept: 'boolean',
})

const dropMoved = statement('drop_moved_timelines', 'select drop_moved_timelines($1)::text as oldest', {
  oldest: 'text?',
})

const readOldest = statement('segment_turn_read', 'select oldest_month from segment_turn', {
  oldest_month: 'timestamptz?',
})

const takeUnused = statement(
  'take_unused_objects',
  `select encode(object, 'hex') as object from take_unused_objects($1, $2, $3)`,
  { object: 'text' },
)

const forgetUnused = statement(
  'forget_unused_objects',
  `select forget_unused_objects(array(select decode(o, 'hex') from unnest($1::text[]) as o))`,
)

/** What servers need to move old events of all tenants. */
export class SegmentWork {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** In the order of their ids. */
  async findOld(before: number, afterAgent: string, amount: number): Promise<OldTimeline[]> {
    const rows = await this.#transaction.rows(findOld, [new Date(before), afterAgent, amount])
    return rows.map((row) => ({ tenantId: row.tenant_id, agentId: row.agent_id, isOpen: row.is_open }))
  }

  /** One server at a time moves events. Says how far the last one got; undefined if it is another server's turn. */
  async takeTurn(holder: string, holdMs: number): Promise<string | undefined> {
    return (await this.#transaction.row(takeTurn, [holder, holdMs]))?.after_agent ?? undefined
  }

  /** False if it is no longer this server's turn. Without an agent, it has got no further. */
  async keepTurn(holder: string, afterAgent: string | null, holdMs: number): Promise<boolean> {
    const row = await this.#transaction.row(keepTurn, [holder, afterAgent, holdMs])
    return row?.is_kept ?? false
  }

  async endTurn(holder: string): Promise<void> {
    await this.#transaction.row(keepTurn, [holder, null, 0])
  }

  /** Drops months of the table that have become empty, and notes the oldest one that should have. */
  async dropMoved(before: number): Promise<void> {
    await this.#transaction.row(dropMoved, [new Date(before)])
  }

  /** The beginning of the oldest month with events that should have been moved. */
  async oldestMonth(): Promise<number | undefined> {
    return (await this.#transaction.row(readOldest, []))?.oldest_month?.getTime()
  }

  /** Objects that this server is to delete now, as hexadecimal hashes. */
  async takeUnused(
    times: { readonly unusedBefore: number; readonly draftsBefore: number },
    amount: number,
  ): Promise<string[]> {
    const values = [new Date(times.unusedBefore), new Date(times.draftsBefore), amount]
    return (await this.#transaction.rows(takeUnused, values)).map(({ object }) => object)
  }

  async forgetUnused(objects: readonly string[]): Promise<void> {
    await this.#transaction.execute(forgetUnused, [objects])
  }
}
