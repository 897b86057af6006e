import { meant, type RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import type { Transaction } from '../../database/transaction.ts'

/** A request as it is recorded. */
export interface NewDelivery {
  readonly id: string
  readonly trigger: string
  readonly senderKey: string
  readonly bodyKey: Uint8Array | undefined
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly redeliveryOf?: string
  readonly perMinute: number
}

export type AcceptedDelivery =
  | { readonly type: 'accepted'; readonly id: string; readonly isNew: boolean }
  | { readonly type: 'wait'; readonly ms: number }

const accept = statement(
  'accept_delivery',
  'select id, is_new, wait_ms from accept_delivery($1, $2, $3, $4, $5, $6, $7, $8)',
  { id: 'uuid?', is_new: 'boolean', wait_ms: 'float8' },
)

const DELIVERY = {
  id: 'uuid',
  number: 'bigint',
  received_at: 'timestamptz',
  redelivery_of: 'uuid?',
  headers: meant<Record<string, string>>('jsonb'),
  plan: 'jsonb?',
  planned_at: 'timestamptz?',
  attempts: 'int',
  outcome: 'text',
  reason: 'text',
  agent: 'text',
  workspace: 'text',
  account: 'text',
  ended_at: 'timestamptz?',
  has_body: 'boolean',
} as const

const COLUMNS = `id, number, received_at, redelivery_of, headers, plan, planned_at, attempts, outcome, reason, agent,
     workspace, account, ended_at, body is not null as has_body`

const next = statement(
  'trigger_delivery_next',
  `select ${COLUMNS} from trigger_delivery
   where tenant_id = skein_current_tenant() and trigger = $1 and ended_at is null order by number limit 1`,
  DELIVERY,
)

const readBody = statement(
  'trigger_delivery_body',
  'select body from trigger_delivery where tenant_id = skein_current_tenant() and trigger = $1 and id = $2',
  { body: 'bytea?' },
)

const find = statement(
  'trigger_delivery_find',
  `select ${COLUMNS} from trigger_delivery
   where tenant_id = skein_current_tenant() and trigger = $1 and id = $2`,
  DELIVERY,
)

const list = statement(
  'trigger_delivery_list',
  `select ${COLUMNS} from trigger_delivery
   where tenant_id = skein_current_tenant() and trigger = $1 and number < $2 order by number desc limit $3`,
  DELIVERY,
)

const latest = statement(
  'trigger_delivery_latest',
  `select wanted.trigger, d.* from unnest($1::text[]) as wanted(trigger), lateral (
     select ${COLUMNS} from trigger_delivery l
     where l.tenant_id = skein_current_tenant() and l.trigger = wanted.trigger order by l.number desc limit 1) d`,
  { trigger: 'text', ...DELIVERY },
)

const pending = statement(
  'trigger_delivery_count_pending',
  `select trigger, count(*)::int as amount from trigger_delivery
   where tenant_id = skein_current_tenant() and trigger = any($1) and ended_at is null group by trigger`,
  { trigger: 'text', amount: 'int' },
)

const hours = statement(
  'trigger_delivery_hours',
  `select trigger, date_trunc('hour', received_at) as hour, count(*)::int as attempts,
     (count(*) filter (where outcome in ('REFUSED', 'FAILED')))::int as failures
   from trigger_delivery where tenant_id = skein_current_tenant() and trigger = any($1) and received_at >= $2
   group by 1, 2 order by 1, 2`,
  { trigger: 'text', hour: 'timestamptz', attempts: 'int', failures: 'int' },
)

const plan = statement(
  'trigger_delivery_plan',
  `update trigger_delivery set plan = $3, planned_at = $4
   where tenant_id = skein_current_tenant() and trigger = $1 and id = $2 and ended_at is null`,
)

const postpone = statement(
  'trigger_delivery_postpone',
  `update trigger_delivery set attempts = attempts + 1, reason = $3
   where tenant_id = skein_current_tenant() and trigger = $1 and id = $2 and ended_at is null`,
)

const end = statement(
  'trigger_delivery_end',
  `update trigger_delivery set outcome = $3, reason = $4, agent = $5, workspace = $6, account = $7, ended_at = $8,
     plan = null
   where tenant_id = skein_current_tenant() and trigger = $1 and id = $2 and ended_at is null`,
)

/** A request, and what became of it. */
export interface TriggerDeliveryRecord {
  readonly id: string
  readonly number: bigint
  readonly receivedAt: number
  readonly redeliveryOf: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly plan: unknown
  readonly plannedAt: number | undefined
  readonly attempts: number
  readonly outcome: string
  readonly reason: string
  readonly agent: string
  readonly workspace: string
  readonly account: string
  readonly endedAt: number | undefined
  readonly hasBody: boolean
}

interface TriggerHour {
  readonly hour: number
  readonly attempts: number
  readonly failures: number
}

export interface DeliveryEnd {
  readonly outcome: string
  readonly reason: string
  readonly agent: string
  readonly workspace: string
  readonly account: string
  readonly at: number
}

/** Requests to triggers of the transaction's tenant. */
export class TriggerDeliveryStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async accept(delivery: NewDelivery): Promise<AcceptedDelivery> {
    const { id, trigger, senderKey, bodyKey, body, headers, redeliveryOf, perMinute } = delivery
    const row = await this.#transaction.row(accept, [
      trigger,
      id,
      senderKey,
      bodyKey ?? null,
      body,
      JSON.stringify(headers),
      redeliveryOf ?? null,
      perMinute,
    ])
    if (!row || row.id === null) return { type: 'wait', ms: Math.ceil(row?.wait_ms ?? 1000) }
    return { type: 'accepted', id: row.id, isNew: row.is_new }
  }

  /** The oldest that is not applied. */
  async next(trigger: string): Promise<TriggerDeliveryRecord | undefined> {
    const row = await this.#transaction.row(next, [trigger])
    return row && toRecord(row)
  }

  async find(trigger: string, id: string): Promise<TriggerDeliveryRecord | undefined> {
    const row = await this.#transaction.row(find, [trigger, id])
    return row && toRecord(row)
  }

  /** Undefined if it is no longer kept. */
  async body(trigger: string, id: string): Promise<Uint8Array | undefined> {
    return (await this.#transaction.row(readBody, [trigger, id]))?.body ?? undefined
  }

  /** Newest first, before a number. */
  async list(trigger: string, before: bigint, limit: number): Promise<TriggerDeliveryRecord[]> {
    return (await this.#transaction.rows(list, [trigger, before, limit])).map(toRecord)
  }

  /** The newest request to each of these triggers. */
  async latest(triggers: readonly string[]): Promise<ReadonlyMap<string, TriggerDeliveryRecord>> {
    const rows = await this.#transaction.rows(latest, [triggers])
    return new Map(rows.map((row) => [row.trigger, toRecord(row)]))
  }

  /** How many requests to each of these triggers are not applied yet; none for a trigger without any. */
  async pending(triggers: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#transaction.rows(pending, [triggers])
    return new Map(rows.map(({ trigger, amount }) => [trigger, amount]))
  }

  /** Requests of each hour that had any, and how many of them were refused or failed. */
  async hours(triggers: readonly string[], since: number): Promise<Map<string, TriggerHour[]>> {
    const rows = await this.#transaction.rows(hours, [triggers, new Date(since)])
    const entries = rows.map(({ hour, ...rest }) => ({ ...rest, hour: hour.getTime() }))
    return Map.groupBy(entries, ({ trigger }) => trigger)
  }

  /** Only within a transaction that keeps the trigger, as the next two. */
  async plan(trigger: string, id: string, wanted: unknown, at: number): Promise<void> {
    await this.#transaction.execute(plan, [trigger, id, JSON.stringify(wanted), new Date(at)])
  }

  async postpone(trigger: string, id: string, reason: string): Promise<void> {
    await this.#transaction.execute(postpone, [trigger, id, reason])
  }

  async end(trigger: string, id: string, ended: DeliveryEnd): Promise<void> {
    const { outcome, reason, agent, workspace, account, at } = ended
    const values = [trigger, id, outcome, reason, agent, workspace, account, new Date(at)]
    await this.#transaction.execute(end, values)
  }
}

function toRecord(row: RowOf<typeof DELIVERY>): TriggerDeliveryRecord {
  return {
    id: row.id,
    number: BigInt(row.number),
    receivedAt: row.received_at.getTime(),
    redeliveryOf: row.redelivery_of ?? undefined,
    headers: row.headers,
    plan: row.plan,
    plannedAt: row.planned_at?.getTime(),
    attempts: row.attempts,
    outcome: row.outcome,
    reason: row.reason,
    agent: row.agent,
    workspace: row.workspace,
    account: row.account,
    endedAt: row.ended_at?.getTime(),
    hasBody: row.has_body,
  }
}
