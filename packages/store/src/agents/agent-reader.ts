import type { Phase } from '@skein/contract'
import {
  agentFromJson,
  eventFromJson,
  identityOfKey,
  listedFromJson,
  type AgentState,
  type FollowUpBody,
  type ListedAgent,
  type RecordedEvent,
  type ResourceRef,
} from '@skein/core'
import type { Transaction } from '../database/transaction.ts'
import { meant, type RowOf } from '../database/columns.ts'
import { statement, type Statement } from '../database/statement.ts'
import { areFew, asKeys, isAmong, probeStatement } from '../database/seen-workspaces.ts'

const STATE = { state: 'json' } as const
const LISTED = { id: 'uuid', key: 'text', phase: meant<Phase>('text'), pool: 'text', listed: 'json' } as const
const LISTED_COLUMNS = 'a.id, a.key, a.phase, a.pool, coalesce(a.listed, a.state) as listed'
const BODY = { body: meant<FollowUpBody>('json') }
const MESSAGE = { ...BODY, traceparent: 'text?' } as const

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

const below = statement(
  'agent_below',
  `select state from agent
   where tenant_id = skein_current_tenant() and key > $1 || '/' and key < $1 || '0'`,
  STATE,
)

const findPlace = statement(
  'agent_find_place',
  'select key, root_key from agent where tenant_id = skein_current_tenant() and id = $1',
  { key: 'text', root_key: 'text' },
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

const messagesById = statement(
  'follow_up_messages_by_id',
  'select body, traceparent from follow_up where agent_id = $1 and follow_up_id = any($2::text[])',
  MESSAGE,
)

const messagesOfRun = statement(
  'follow_up_messages_of_run',
  'select body, traceparent from follow_up where agent_id = $1 and run_id = $2 order by position',
  MESSAGE,
)

const timeline = statement(
  'timeline_between',
  `select sequence, created_at, actor, event from timeline
   where agent_id = $1 and sequence > $2 and sequence <= coalesce($4::bigint, 9223372036854775807)
   order by sequence limit $3`,
  { sequence: 'bigint', created_at: 'timestamptz', actor: 'text', event: 'json' },
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

/** The same lists for callers who see only some workspaces. */
const seenPage = listStatement('agent_list_seen', `and ${isAmong('$7')}`)
const seenLivePage = listStatement('agent_list_seen_live', `and not is_terminal and ${isAmong('$7')}`)
const seenAccountPage = listStatement('agent_list_seen_account', `${OF_ACCOUNT} and ${isAmong('$9')}`)
const seenLiveAccountPage = listStatement(
  'agent_list_seen_live_account',
  `${OF_ACCOUNT} and not is_terminal and ${isAmong('$9')}`,
)
const probedPage = probeStatement(
  'agent_list_probed',
  {
    shown: LISTED_COLUMNS,
    before: '($2::timestamptz, $3::uuid)',
    limit: '$4',
    workspaces: '$7',
    ended: '$8',
    matches: `case when a.parent_key = $1 and a.labels @> $6::jsonb then true end
    and ($5::text[] is null or a.phase = any($5))`,
  },
  LISTED,
)

export interface AgentFilter {
  /** The parent's key; empty for roots. */
  readonly parentKey: string
  readonly owner: { readonly provider: string; readonly account: string } | undefined
  readonly includeTerminal: boolean
  readonly phases: readonly string[] | undefined
  readonly labels: Readonly<Record<string, string>>
  /** Only roots in these. Undefined for callers who see all; children are where their parent is. */
  readonly workspaces: readonly string[] | undefined
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

/** A message with the span that sent it, as in the header `traceparent`. */
export interface Message {
  readonly body: FollowUpBody
  readonly traceparent: string | null
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

  /** All descendants of an agent. As rows: the first are parsed while PostgreSQL still sends the others. */
  async below(key: string): Promise<AgentState[]> {
    const rows = await this.#transaction.rows(below, [key])
    return rows.map(({ state }) => agentFromJson(state))
  }

  async findPlace(id: string): Promise<{ agentKey: string; rootKey: string } | undefined> {
    const row = await this.#transaction.row(findPlace, [id])
    return row && { agentKey: row.key, rootKey: row.root_key }
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

  /** In the given order. */
  async messages(agentId: string, ids: readonly string[]): Promise<Message[]> {
    if (ids.length === 0) return []
    const rows = await this.#transaction.rows(messagesById, [agentId, ids])
    const byId = new Map(rows.map((row) => [row.body.followUpId, row]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  async messagesOfRun(agentId: string, runId: bigint): Promise<Message[]> {
    return this.#transaction.rows(messagesOfRun, [agentId, runId])
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

  /** Names of some live agents that use a resource. Empty for kinds agents don't use directly. */
  async liveUsersOf({ kind, name }: ResourceRef): Promise<string[]> {
    const statementOfKind = USERS[kind]
    if (!statementOfKind) return []
    const rows = await this.#transaction.rows(statementOfKind, [name])
    return rows.map(({ workspace, path }) => [workspace, ...path].join('/'))
  }

  /** Newest first. */
  async list(filter: AgentFilter, limit: number): Promise<ListedAgent[]> {
    const { owner, includeTerminal } = filter
    const common = [
      filter.parentKey,
      filter.before ? new Date(filter.before.at) : 'infinity',
      filter.before?.id ?? LAST_UUID,
      limit,
      filter.phases ?? null,
      JSON.stringify(filter.labels),
    ]
    const seen = filter.parentKey === '' ? filter.workspaces : undefined
    const rows = seen
      ? await this.#listSeen(seen, common, filter)
      : owner
        ? await this.#transaction.rows(includeTerminal ? listAccountPage : listLiveAccountPage, [
            ...common,
            owner.provider,
            owner.account,
          ])
        : await this.#transaction.rows(includeTerminal ? listPage : listLivePage, common)
    return rows.map(({ id, key, phase, pool, listed }) => ({
      id,
      identity: identityOfKey(key),
      phase,
      pool,
      ...listedFromJson(listed),
    }))
  }

  #listSeen(
    workspaces: readonly string[],
    common: readonly unknown[],
    { owner, includeTerminal }: AgentFilter,
  ): Promise<RowOf<typeof LISTED>[]> {
    if (owner) {
      const page = includeTerminal ? seenAccountPage : seenLiveAccountPage
      return this.#transaction.rows(page, [...common, owner.provider, owner.account, asKeys(workspaces)])
    }
    if (areFew(workspaces)) {
      const ended = includeTerminal ? [false, true] : [false]
      return this.#transaction.rows(probedPage, [...common, workspaces, ended])
    }
    return this.#transaction.rows(includeTerminal ? seenPage : seenLivePage, [...common, asKeys(workspaces)])
  }
}

/**
 * One statement per index: an optional condition would keep the planner from using any of them. What no index supports is
 * in a case, see isAmong: else the planner expects almost no matches, and may sort all agents of the tenant.
 */
function listStatement(name: string, conditions = ''): Statement<RowOf<typeof LISTED>> {
  return statement(
    name,
    `select ${LISTED_COLUMNS} from agent a
     where tenant_id = skein_current_tenant() and parent_key = $1 ${conditions}
       and (created_at, id) < ($2::timestamptz, $3::uuid)
       and case when ($5::text[] is null or phase = any($5)) and labels @> $6::jsonb then true end
     order by created_at desc, id desc limit $4`,
    LISTED,
  )
}
