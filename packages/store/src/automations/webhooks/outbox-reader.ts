import { topicOf, type FilteredAgent } from '@skein/core'
import { meant, type RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import type { Transaction } from '../../database/transaction.ts'

const takeUnread = statement('take_unread_outboxes', 'select tenant_id from take_unread_outboxes($1, $2)', {
  tenant_id: 'uuid',
})

/** Tenants whose outbox no server has looked at for a while. */
export async function takeUnreadOutboxes(
  transaction: Transaction,
  { amount, unseenMs }: { readonly amount: number; readonly unseenMs: number },
): Promise<string[]> {
  const rows = await transaction.rows(takeUnread, [amount, unseenMs])
  return rows.map((row) => row.tenant_id)
}

/** From the oldest transaction in progress: what commits while the first integration is written is sent. */
const begin = statement(
  'outbox_reader_begin',
  `insert into outbox_reader (tenant_id, xid, id, looked_at)
   values (skein_current_tenant(), pg_snapshot_xmin(pg_current_snapshot()), 0, now())
   on conflict (tenant_id) do nothing`,
)

const take = statement(
  'outbox_reader_take',
  `select xid::text, id, floor_id, pg_snapshot_xmax(pg_current_snapshot())::text as next from outbox_reader
   where tenant_id = skein_current_tenant() for update skip locked`,
  { xid: 'text', id: 'bigint', floor_id: 'bigint', next: 'text' },
)

const CHANGE = {
  xid: 'text',
  id: 'bigint',
  agent_id: 'uuid',
  agent: meant<FilteredAgent | null>('json?'),
  first_sequence: 'bigint',
  is_of_tenant: 'boolean',
  events: meant<readonly Header[]>('json'),
} as const

/** What decides where an event goes: type, new phase, whether it asks, and the owner of what it is about. */
type Header = readonly [type: string, to: string | null, needsInput: string | null, owner: string | null]

/** All events of a change, in order. The agent may have been deleted meanwhile. */
const changes = (where: string) => `select o.xid::text, o.id, o.agent_id,
     (select json_build_object('identity', a.state -> 'identity', 'labels', a.labels) from agent a
      where a.id = o.agent_id) as agent,
     o.first_sequence, o.agent_id = skein_current_tenant() as is_of_tenant, (
       select coalesce(json_agg(json_build_array(h.type, h."to", left(h."needsInput", 1), h.owner) order by e.sequence), '[]')
       from timeline e, json_to_record(e.event) as h(type text, "to" text, "needsInput" text, owner text)
       where e.agent_id = o.agent_id and e.sequence between o.first_sequence and o.last_sequence) as events
   from (select xid, id, agent_id, first_sequence, last_sequence from outbox
     where tenant_id = skein_current_tenant() and (xid, id) > ($1::xid8, $2::bigint) and ${where}
     order by xid, id limit $4) o
   order by o.xid, o.id`

/** Up to the oldest transaction in progress, so that none that commits late is skipped (docs/adr/0017). */
const readSettled = statement(
  'outbox_read_settled',
  changes('xid < pg_snapshot_xmin(pg_current_snapshot()) and id > $3::bigint'),
  CHANGE,
)

/** Rows of another database, whose transactions have all ended. */
const readForeign = statement('outbox_read_foreign', changes('$3::bigint >= 0'), CHANGE)

/** Whether something committed that cannot be read yet, because an older transaction is in progress. */
const unsettled = statement(
  'outbox_unsettled',
  `select exists (select from outbox
     where tenant_id = skein_current_tenant() and xid >= pg_snapshot_xmin(pg_current_snapshot())
       and xid < pg_snapshot_xmax(pg_current_snapshot())) as is_unsettled`,
  { is_unsettled: 'boolean' },
)

const exists = statement(
  'outbox_reader_exists',
  'select exists (select from outbox_reader where tenant_id = skein_current_tenant()) as is_there',
  { is_there: 'boolean' },
)

const foreignEnd = statement(
  'outbox_foreign_end',
  // Materialized, because PostgreSQL would look for the maximum in the primary key, through rows of all tenants.
  `with others as materialized (
     select id from outbox where tenant_id = skein_current_tenant() and xid >= pg_snapshot_xmax(pg_current_snapshot())
   )
   select coalesce(max(id), 0)::bigint as id from others`,
  { id: 'bigint' },
)

const advance = statement(
  'outbox_reader_advance',
  `update outbox_reader set xid = $1::xid8, id = $2, floor_id = $3, looked_at = now()
   where tenant_id = skein_current_tenant()`,
)

/** Events that one command added to an agent's timeline. */
export interface OutboxChange extends FilteredAgent {
  readonly agentId: string
  readonly firstSequence: bigint
  /** In order, without gaps. */
  readonly types: readonly string[]
  /** What each of them would tell people. */
  readonly topics: readonly ReturnType<typeof topicOf>[]
}

interface ReadChanges {
  readonly changes: OutboxChange[]
  readonly isMore: boolean
  /** Whether there is more that can be read only in a moment. */
  readonly isUnsettled: boolean
}

/** Reads the outbox of the transaction's tenant for its integrations: every change once, in order. */
export class OutboxReader {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async begin(): Promise<void> {
    await this.#transaction.execute(begin, [])
  }

  /** Whether the tenant has ever had an integration. */
  async exists(): Promise<boolean> {
    return (await this.#transaction.row(exists, []))?.is_there === true
  }

  /**
   * The next changes; undefined if the tenant has no integrations or another server is reading. The position moves
   * with them, in this transaction.
   */
  async read(limit: number): Promise<ReadChanges | undefined> {
    const position = await this.#transaction.row(take, [])
    if (!position) return undefined
    const isForeign = BigInt(position.xid) > BigInt(position.next)
    const rows = await this.#transaction.rows(isForeign ? readForeign : readSettled, [
      position.xid,
      position.id,
      position.floor_id,
      limit,
    ])
    const last = rows.at(-1)
    if (last) await this.#transaction.execute(advance, [last.xid, last.id, position.floor_id])
    else if (isForeign) await this.#leaveForeign()
    const isMore = rows.length === limit || isForeign
    return {
      isMore,
      isUnsettled: !isMore && (await this.#transaction.row(unsettled, []))?.is_unsettled === true,
      changes: rows.flatMap(toChange),
    }
  }

  /** Everything of the other database was read. Its rows are known by their ids from now on. */
  async #leaveForeign(): Promise<void> {
    const floor = await this.#transaction.row(foreignEnd, [])
    await this.#transaction.execute(advance, ['0', '0', floor?.id ?? '0'])
  }
}

function toChange(row: RowOf<typeof CHANGE>): OutboxChange[] {
  const about = row.agent ?? (row.is_of_tenant ? aboutOwner(row.events) : undefined)
  if (!about) return []
  return [
    {
      ...about,
      agentId: row.agent_id,
      firstSequence: BigInt(row.first_sequence),
      types: row.events.map(([type]) => type),
      topics: row.events.map(([type, to, needsInput]) =>
        topicOf({ type, to: to ?? undefined, needsInput: needsInput ?? undefined }),
      ),
    },
  ]
}

/** For filters, what happens to an integration concerns the account that wrote it. */
function aboutOwner(events: readonly Header[]): FilteredAgent {
  const account = events[0]?.[3] ?? ''
  return { identity: { workspace: '', ownerProvider: 'PROVIDER_UNSPECIFIED', account, path: [] }, labels: {} }
}
