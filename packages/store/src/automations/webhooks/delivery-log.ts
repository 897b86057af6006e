import type { AgentIdentity } from '@skein/core'
import { meant, type RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import { toTimestamp } from '../../database/timestamp.ts'
import type { Transaction } from '../../database/transaction.ts'
import { sentEventFromJson, type SentEvent } from './lane-store.ts'

/** One request to a receiver, and its response. */
export interface DeliveryRecord {
  readonly id: string
  readonly at: number
  readonly agentId: string
  readonly sequence: bigint
  readonly eventType: string
  readonly attempt: number
  readonly status: number
  readonly error: string
  readonly latencyMs: number
  readonly response: string
  /** The message that the event was sent in; undefined for a webhook. */
  readonly messageId?: string | undefined
}

/** With the agent it is about; undefined if that was deleted. */
export type Listed<Record> = Record & { readonly identity: AgentIdentity | undefined }

export interface DeadLetterRecord {
  readonly id: string
  readonly at: number
  readonly agentId: string
  readonly firstSequence: bigint
  readonly lastSequence: bigint
  readonly error: string
}

/** A position in a list, newest first. */
export interface LogPlace {
  readonly at: number
  readonly id: string
}

const addAll = statement(
  'delivery_add',
  `insert into delivery (tenant_id, id, created_at, integration, agent_id, sequence, event_type, attempt, status, error,
     latency_ms, response, message_id)
   select skein_current_tenant(), d.id, to_timestamp(d.at / 1000.0), $1, d."agentId", d.sequence, d."eventType", d.attempt,
     d.status, d.error, d."latencyMs", d.response, d."messageId"
   from json_to_recordset($2::json) as d(id uuid, at float8, "agentId" uuid, sequence bigint, "eventType" text,
     attempt integer, status integer, error text, "latencyMs" integer, response text, "messageId" uuid)
   -- Recorded again because it was not known whether the first time was committed.
   on conflict do nothing`,
)

const LISTED = {
  id: 'uuid',
  created_at: 'timestamptz',
  agent_id: 'uuid',
  sequence: 'bigint',
  event_type: 'text',
  attempt: 'int',
  status: 'int',
  error: 'text',
  latency_ms: 'int',
  response: 'text',
  message_id: 'uuid?',
  identity: meant<AgentIdentity | null>('json?'),
} as const

/** Not a join, which PostgreSQL may plan as a walk through all agents. */
const IDENTITY = `(select a.state -> 'identity' from agent a where a.id = d.agent_id)`

const BEFORE = `(d.created_at, d.id)
     < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))`

const list = statement(
  'delivery_list',
  `select d.id, d.created_at, d.agent_id, d.sequence, d.event_type, d.attempt, d.status, d.error, d.latency_ms,
     d.response, d.message_id, ${IDENTITY} as identity
   from delivery d
   where d.tenant_id = skein_current_tenant() and d.integration = $1 and ${BEFORE} and (not $5 or d.error <> '')
   order by d.created_at desc, d.id desc limit $4`,
  LISTED,
)

const DEAD = {
  id: 'uuid',
  created_at: 'timestamptz',
  agent_id: 'uuid',
  first_sequence: 'bigint',
  last_sequence: 'bigint',
  error: 'text',
  identity: meant<AgentIdentity | null>('json?'),
} as const

const listDead = statement(
  'dead_letter_list',
  `select d.id, d.created_at, d.agent_id, d.first_sequence, d.last_sequence, d.error, ${IDENTITY} as identity
   from dead_letter d
   where d.tenant_id = skein_current_tenant() and d.integration = $1 and ${BEFORE}
   order by d.created_at desc, d.id desc limit $4`,
  DEAD,
)

const find = statement(
  'delivery_find',
  `select d.id, d.created_at, d.agent_id, d.sequence, d.event_type, d.attempt, d.status, d.error, d.latency_ms,
     d.response, d.message_id, null::json as identity
   from delivery d where d.tenant_id = skein_current_tenant() and d.integration = $1 and d.id = $2 and d.created_at >= $3`,
  LISTED,
)

/** The time narrows it to a few rows of one partition. */
const findAt = statement(
  'delivery_find_at',
  `select d.id, d.created_at, d.agent_id, d.sequence, d.event_type, d.attempt, d.status, d.error, d.latency_ms,
     d.response, d.message_id, ${IDENTITY} as identity
   from delivery d
   where d.tenant_id = skein_current_tenant() and d.integration = $1 and d.id = $2
     and d.created_at >= $3::timestamptz - interval '1 ms' and d.created_at <= $3::timestamptz + interval '1 ms'`,
  LISTED,
)

const event = statement(
  'delivery_event',
  'select sequence, created_at, actor, event from timeline where agent_id = $1 and sequence = $2',
  { sequence: 'bigint', created_at: 'timestamptz', actor: 'text', event: 'json' },
)

const hours = statement(
  'delivery_hours',
  `select integration, date_trunc('hour', created_at) as hour, count(*)::int as attempts,
     (count(*) filter (where error <> ''))::int as failures
   from delivery where tenant_id = skein_current_tenant() and integration = any($1) and created_at >= $2
   group by 1, 2 order by 1, 2`,
  { integration: 'text', hour: 'timestamptz', attempts: 'int', failures: 'int' },
)

interface DeliveryHour {
  readonly hour: number
  readonly attempts: number
  readonly failures: number
}

/** The requests to receivers of the transaction's tenant, and what was given up. */
export class DeliveryLog {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async add(integration: string, deliveries: readonly DeliveryRecord[]): Promise<void> {
    if (deliveries.length === 0) return
    const json = deliveries.map((delivery) => ({ ...delivery, sequence: delivery.sequence.toString() }))
    await this.#transaction.execute(addAll, [integration, JSON.stringify(json)])
  }

  async list(
    integration: string,
    before: LogPlace | undefined,
    { limit, onlyFailed }: { readonly limit: number; readonly onlyFailed: boolean },
  ): Promise<Listed<DeliveryRecord>[]> {
    const values = [integration, ...placeValues(before), limit, onlyFailed]
    const rows = await this.#transaction.rows(list, values)
    return rows.map(toDelivery)
  }

  /** A request that was sent since then. */
  async find(integration: string, id: string, since: number): Promise<DeliveryRecord | undefined> {
    const row = await this.#transaction.row(find, [integration, id, new Date(since)])
    return row && toDelivery(row)
  }

  /** The request that the log shows with this id and time. */
  async findAt(integration: string, { at, id }: LogPlace): Promise<Listed<DeliveryRecord> | undefined> {
    const row = await this.#transaction.row(findAt, [integration, id, new Date(at)])
    return row && toDelivery(row)
  }

  /** The event that a request was about; undefined if it was deleted. */
  async event(agentId: string, sequence: bigint): Promise<SentEvent | undefined> {
    const row = await this.#transaction.row(event, [agentId, sequence])
    return (
      row && { sequence, at: row.created_at.getTime(), actor: row.actor, event: sentEventFromJson(row.event) }
    )
  }

  async deadLetters(
    integration: string,
    before: LogPlace | undefined,
    limit: number,
  ): Promise<Listed<DeadLetterRecord>[]> {
    const rows = await this.#transaction.rows(listDead, [integration, ...placeValues(before), limit])
    return rows.map((row) => ({
      id: row.id,
      at: row.created_at.getTime(),
      agentId: row.agent_id,
      firstSequence: BigInt(row.first_sequence),
      lastSequence: BigInt(row.last_sequence),
      error: row.error,
      identity: row.identity ?? undefined,
    }))
  }

  /** Attempts and failures of each hour that had any. */
  async hours(integrations: readonly string[], since: number): Promise<Map<string, DeliveryHour[]>> {
    const rows = await this.#transaction.rows(hours, [integrations, new Date(since)])
    const entries = rows.map(({ hour, ...rest }) => ({ ...rest, hour: hour.getTime() }))
    return Map.groupBy(entries, ({ integration }) => integration)
  }
}

function placeValues(before: LogPlace | undefined): unknown[] {
  return [toTimestamp(before?.at), before?.id ?? null]
}

function toDelivery(row: RowOf<typeof LISTED>): Listed<DeliveryRecord> {
  return {
    id: row.id,
    at: row.created_at.getTime(),
    agentId: row.agent_id,
    sequence: BigInt(row.sequence),
    eventType: row.event_type,
    attempt: row.attempt,
    status: row.status,
    error: row.error,
    latencyMs: row.latency_ms,
    response: row.response,
    messageId: row.message_id ?? undefined,
    identity: row.identity ?? undefined,
  }
}
