import {
  agentFromJson,
  eventFromJson,
  type AgentState,
  type FollowUpBody,
  type RecordedEvent,
  type ResourceRef,
} from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { meant, type RowOf } from '../database/columns.ts'
import { statement, type Statement } from '../database/statement.ts'

const STATE = { state: 'json' } as const
const BODY = { body: meant<FollowUpBody>('json') }

const findByKey = statement(
  'agent_find_by_key',
  'select state from agent where tenant_id = skein_current_tenant() and key = $1',
  STATE,
)

const findByIds = statement(
  'agent_find_by_ids',
  'select state from agent where tenant_id = skein_current_tenant() and id = any($1::uuid[])',
  STATE,
)

const treeCost = statement(
  'agent_tree_cost',
  `select coalesce(sum(cost_micros), 0)::bigint as cost from agent
   where tenant_id = skein_current_tenant() and (key = $1 or (key > $1 || '/' and key < $1 || '0'))`,
  { cost: 'bigint' },
)

const pendingAfter = statement(
  'follow_up_pending_after',
  `select follow_up_id, state, position from follow_up
   where agent_id = $1 and state in ('QUEUED', 'DEFERRED') and position > $2 order by position limit $3`,
  { follow_up_id: 'text', state: meant<'QUEUED' | 'DEFERRED'>('text'), position: 'bigint' },
)

const followUpsById = statement(
  'follow_up_by_id',
  'select body from follow_up where agent_id = $1 and follow_up_id = any($2::text[])',
  BODY,
)

const followUpsOfRun = statement(
  'follow_up_of_run',
  'select body from follow_up where agent_id = $1 and run_id = $2 order by position',
  BODY,
)

/** More than a span may link to would be cut there anyway. */
const followUpTraces = statement(
  'follow_up_traces',
  `select distinct traceparent from follow_up
   where agent_id = $1 and follow_up_id = any($2::text[]) and traceparent is not null limit 100`,
  { traceparent: 'text?' },
)

const timeline = statement(
  'timeline_between',
  `select sequence, created_at, actor, event from timeline
   where agent_id = $1 and sequence > $2 and sequence <= coalesce($4::bigint, 9223372036854775807)
   order by sequence limit $3`,
  { sequence: 'bigint', created_at: 'timestamptz', actor: 'text', event: 'json' },
)

const liveAgents = statement(
  'live_agents_sum',
  'select coalesce(sum(amount), 0)::bigint as amount from live_agents where tenant_id = skein_current_tenant()',
  { amount: 'bigint' },
)

const queuedBytes = statement(
  'queued_bytes_sum',
  'select coalesce(sum(amount), 0)::bigint as amount from queued_bytes where tenant_id = skein_current_tenant()',
  { amount: 'bigint' },
)

const liveChildren = statement(
  'agent_live_children',
  `select count(*)::int as amount from agent
   where tenant_id = skein_current_tenant() and parent_key = $1 and not is_terminal`,
  { amount: 'int' },
)

const USER = { workspace: 'text', path: meant<string[]>('json') } as const
const liveInWorkspace = statement('agent_live_in_workspace', liveUsers('workspace = $1'), USER)
const liveInPool = statement('agent_live_in_pool', liveUsers('pool = $1'), USER)
const liveOfProfile = statement(
  'agent_live_of_profile',
  liveUsers(`owner_provider = 'PROVIDER_SERVICE_PROFILE' and account = $1`),
  USER,
)

/** A few are enough to show that there are any. */
function liveUsers(condition: string): string {
  return `select state -> 'identity' ->> 'workspace' as workspace, state -> 'identity' -> 'path' as path from agent
    where tenant_id = skein_current_tenant() and ${condition} and not is_terminal limit 5`
}

const USERS: Readonly<Record<string, Statement<RowOf<typeof USER>>>> = {
  workspace: liveInWorkspace,
  pool: liveInPool,
  profile: liveOfProfile,
}

/**
 * `between` only steers the planner. It doesn't know the values, so with statistics of a single account it would
 * choose the index without accounts, and an account with few agents would wait for a scan over everyone's (measured:
 * 4 s instead of 0.1 ms among a million).
 */
const OF_ACCOUNT = 'and owner_provider = $7 and account = $8 and account between $8 and $8'

const listPage = listStatement('agent_list')
const listLivePage = listStatement('agent_list_live', 'and not is_terminal')
const listAccountPage = listStatement('agent_list_account', OF_ACCOUNT)
const listLiveAccountPage = listStatement('agent_list_live_account', `${OF_ACCOUNT} and not is_terminal`)

export interface AgentFilter {
  /** The parent's key; empty for roots. */
  readonly parentKey: string
  readonly owner: { readonly provider: string; readonly account: string } | undefined
  readonly includeTerminal: boolean
  readonly phases: readonly string[] | undefined
  readonly labels: Readonly<Record<string, string>>
  /** Only agents older than this one. */
  readonly before: { readonly at: number; readonly id: string } | undefined
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export interface ActedEvent extends RecordedEvent {
  readonly actor: string
}

/** Event sequences: after the first (exclusive), until the last (inclusive). */
export interface TimelineSpan {
  readonly after: bigint
  readonly until?: bigint
}

interface PendingPlace {
  readonly followUpId: string
  readonly state: 'QUEUED' | 'DEFERRED'
  readonly position: bigint
}

/** Reads agents of the transaction's tenant. */
export class AgentReader {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  async find(key: string): Promise<AgentState | undefined> {
    const row = await this.#transaction.row(findByKey, [key])
    return row && agentFromJson(row.state)
  }

  async findAll(ids: readonly string[]): Promise<AgentState[]> {
    const rows = await this.#transaction.rows(findByIds, [ids])
    return rows.map(({ state }) => agentFromJson(state))
  }

  /** Cost of an agent and its descendants, in millionths of a dollar. */
  async treeCostMicros(key: string): Promise<bigint> {
    const row = await this.#transaction.row(treeCost, [key])
    return BigInt(row?.cost ?? '0')
  }

  /** Pending messages, without their texts. */
  async pendingAfter(agentId: string, position: bigint, limit: number): Promise<PendingPlace[]> {
    const rows = await this.#transaction.rows(pendingAfter, [agentId, position, limit])
    return rows.map((row) => ({
      followUpId: row.follow_up_id,
      state: row.state,
      position: BigInt(row.position),
    }))
  }

  async followUps(agentId: string, ids: readonly string[]): Promise<FollowUpBody[]> {
    const rows = await this.#transaction.rows(followUpsById, [agentId, ids])
    const byId = new Map(rows.map(({ body }) => [body.followUpId, body]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  async followUpsOfRun(agentId: string, runId: bigint): Promise<FollowUpBody[]> {
    const rows = await this.#transaction.rows(followUpsOfRun, [agentId, runId])
    return rows.map(({ body }) => body)
  }

  /** The spans that sent these messages, as in the header `traceparent`. */
  async followUpTraces(agentId: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.#transaction.rows(followUpTraces, [agentId, ids])
    return rows.flatMap(({ traceparent }) => traceparent ?? [])
  }

  async timelineBetween(
    agentId: string,
    { after, until }: TimelineSpan,
    limit: number,
  ): Promise<ActedEvent[]> {
    const rows = await this.#transaction.rows(timeline, [agentId, after, limit, until ?? null])
    return rows.map((row) => ({
      sequence: BigInt(row.sequence),
      at: row.created_at.getTime(),
      actor: row.actor,
      event: eventFromJson(row.event),
    }))
  }

  async liveAgents(): Promise<number> {
    const row = await this.#transaction.row(liveAgents, [])
    return Number(row?.amount ?? 0)
  }

  /** Of all pending messages of the tenant. */
  async queuedBytes(): Promise<number> {
    const row = await this.#transaction.row(queuedBytes, [])
    return Number(row?.amount ?? 0)
  }

  async liveChildren(parentKey: string): Promise<number> {
    const row = await this.#transaction.row(liveChildren, [parentKey])
    return row?.amount ?? 0
  }

  /** Names of some live agents that use a resource. Empty for kinds agents don't use directly. */
  async liveUsersOf({ kind, name }: ResourceRef): Promise<string[]> {
    const statementOfKind = USERS[kind]
    if (!statementOfKind) return []
    const rows = await this.#transaction.rows(statementOfKind, [name])
    return rows.map(({ workspace, path }) => [workspace, ...path].join('/'))
  }

  /** Newest first. */
  async list(filter: AgentFilter, limit: number): Promise<AgentState[]> {
    const { owner, includeTerminal } = filter
    const common = [
      filter.parentKey,
      filter.before ? new Date(filter.before.at) : 'infinity',
      filter.before?.id ?? LAST_UUID,
      limit,
      filter.phases ?? null,
      JSON.stringify(filter.labels),
    ]
    const rows = owner
      ? await this.#transaction.rows(includeTerminal ? listAccountPage : listLiveAccountPage, [
          ...common,
          owner.provider,
          owner.account,
        ])
      : await this.#transaction.rows(includeTerminal ? listPage : listLivePage, common)
    return rows.map(({ state }) => agentFromJson(state))
  }
}

/** One statement per index: an optional condition would keep the planner from using any of them. */
function listStatement(name: string, conditions = ''): Statement<RowOf<typeof STATE>> {
  return statement(
    name,
    `select state from agent
     where tenant_id = skein_current_tenant() and parent_key = $1 ${conditions}
       and (created_at, id) < ($2::timestamptz, $3::uuid)
       and ($5::text[] is null or phase = any($5)) and labels @> $6::jsonb
     order by created_at desc, id desc limit $4`,
    STATE,
  )
}
