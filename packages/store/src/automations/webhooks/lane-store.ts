import {
  eventFromJson,
  isTenantEvent,
  type AgentEvent,
  type AgentIdentity,
  type FilteredAgent,
  type TenantEvent,
} from '@skein/core'
import type { ActedEvent } from '../../agents/agent-reader.ts'
import { meant, type RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import { together } from '../../database/together.ts'
import type { Transaction } from '../../database/transaction.ts'

/** The id of the lane for live events. */
export const LIVE = '00000000-0000-0000-0000-000000000000'

export interface LaneRef {
  readonly agentId: string
  readonly replayId: string
}

/** Events to add to a lane. */
export interface NewLane {
  readonly integration: string
  readonly agentId: string
  readonly firstSequence: bigint
  readonly lastSequence: bigint
  /** How long to wait for more. */
  readonly delayMs?: number
}

/** A lane that is due, with its next events. */
export interface DueLane extends LaneRef {
  readonly identity: AgentIdentity
  readonly labels: Readonly<Record<string, string>>
  readonly nextSequence: bigint
  readonly lastSequence: bigint
  readonly attempts: number
  readonly waitingSince: number
  readonly events: readonly SentEvent[]
}

/** An event of an agent, or one of the tenant itself. */
export type SentEvent = Omit<ActedEvent, 'event'> & { readonly event: AgentEvent | TenantEvent }

/** What became of a lane. */
export interface LaneProgress extends LaneRef {
  /** The first event that is still to be sent. A lane that has none left is deleted. */
  readonly nextSequence: bigint
  readonly attempts: number
  readonly waitingSince: number
  readonly dueAt: number
}

export const LANE = {
  agent_id: 'uuid',
  replay_id: 'uuid',
  next_sequence: 'bigint',
  attempts: 'int',
  waiting_since: 'timestamptz',
  is_of_tenant: 'boolean',
} as const

/** Without the agent if it is gone. */
type LaneRow = RowOf<typeof LANE> & { readonly agent: FilteredAgent | null }

const add = statement(
  'lane_add',
  `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
   select skein_current_tenant(), n.integration, n."agentId", $2::uuid, n."firstSequence", n."lastSequence", now(),
     now() + make_interval(secs => coalesce(n."delayMs", 0) / 1000.0)
   from json_to_recordset($1::json)
     as n(integration text, "agentId" uuid, "firstSequence" bigint, "lastSequence" bigint, "delayMs" float8)
   on conflict (tenant_id, integration, agent_id, replay_id) do update
     set last_sequence = greatest(lane.last_sequence, excluded.last_sequence)`,
)

/**
 * At most one lane of each agent and replay, oldest first. Those being sent are left out. The agent may be gone: then
 * there is nothing to send either.
 */
const due = statement(
  'lane_due',
  `select l.agent_id, l.replay_id, l.next_sequence, l.last_sequence, l.attempts, l.waiting_since,
     l.agent_id = l.tenant_id as is_of_tenant,
     (select json_build_object('identity', a.state -> 'identity', 'labels', a.labels) from agent a
      where a.id = l.agent_id) as agent,
     (select coalesce(json_agg(json_build_object('sequence', e.sequence::text, 'at', extract(epoch from e.created_at) * 1000,
        'actor', e.actor, 'event', e.event) order by e.sequence), '[]')
      from (select t.sequence, t.created_at, t.actor, t.event from timeline t
        where t.agent_id = l.agent_id and t.sequence between l.next_sequence and l.last_sequence
        order by t.sequence limit $4) e) as events
   from lane l
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.due_at <= now()
     and not (l.agent_id, l.replay_id) in (select * from unnest($2::uuid[], $3::uuid[]))
   order by l.due_at limit $5`,
  {
    ...LANE,
    last_sequence: 'bigint',
    agent: meant<FilteredAgent | null>('json?'),
    events: meant<readonly StoredEvent[]>('json'),
  },
)

export interface StoredEvent {
  readonly sequence: string
  readonly at: number
  readonly actor: string
  readonly event: unknown
}

const move = statement(
  'lane_move',
  `update lane l set next_sequence = p."nextSequence", attempts = p.attempts,
     waiting_since = to_timestamp(p."waitingSince" / 1000.0), due_at = to_timestamp(p."dueAt" / 1000.0)
   from json_to_recordset($2::json) as p("agentId" uuid, "replayId" uuid, "nextSequence" bigint, attempts integer,
     "waitingSince" float8, "dueAt" float8)
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.agent_id = p."agentId"
     and l.replay_id = p."replayId"`,
)

/** Separate from the move: whether a lane has events left is known only once it is locked. */
const removeDone = statement(
  'lane_remove_done',
  `delete from lane l using unnest($2::uuid[], $3::uuid[]) as p(agent_id, replay_id)
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.agent_id = p.agent_id
     and l.replay_id = p.replay_id and l.next_sequence > l.last_sequence`,
)

/** After the receiver is back, nothing waits for its next attempt. */
const hurry = statement(
  'lane_hurry',
  `update lane set due_at = now()
   where tenant_id = skein_current_tenant() and integration = $1 and attempts > 0 and due_at > now()`,
)

/** Turns rows of `given_up` into dead letters of the integration $1. */
export function buryGivenUp(error: string): string {
  return `insert into dead_letter (tenant_id, id, created_at, integration, agent_id, first_sequence, last_sequence, error)
   select skein_current_tenant(), gen_random_uuid(), now(), $1, agent_id, next_sequence, last_sequence, ${error}
   from given_up`
}

const giveUp = statement(
  'lane_give_up',
  `with given_up as (
     delete from lane where ctid = any (array(
       select l.ctid from lane l
       where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.waiting_since <= $2
       order by l.waiting_since limit $4))
     returning agent_id, next_sequence, last_sequence
   )
   ${buryGivenUp('$3')}`,
)

const giveUpOne = statement(
  'lane_give_up_one',
  `with given_up as (
     -- Not one that began behind it, if this is done again because it was not known whether it was committed.
     delete from lane where tenant_id = skein_current_tenant() and integration = $1 and agent_id = $2 and replay_id = $3
       and next_sequence <= $5
     returning agent_id, next_sequence, last_sequence
   )
   ${buryGivenUp('$4')}`,
)

const replaySince = statement(
  'lane_replay_since',
  `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
   select skein_current_tenant(), $1, o.agent_id, $2, min(o.first_sequence), max(o.last_sequence), now(), now()
   from outbox o where o.tenant_id = skein_current_tenant() and o.created_at >= $3
   group by o.agent_id limit $4`,
)

/** A range is not removed: whether it arrives is seen in the log. */
const replayDead = statement(
  'lane_replay_dead',
  `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
   select skein_current_tenant(), $1, d.agent_id, $2, min(d.first_sequence), max(d.last_sequence), now(), now()
   from dead_letter d where d.tenant_id = skein_current_tenant() and d.integration = $1
   group by d.agent_id limit $3`,
)

const waiting = statement(
  'lane_waiting',
  `select integration, count(*)::int as amount, min(waiting_since) as since from lane
   where tenant_id = skein_current_tenant() and integration = any($1) group by integration`,
  { integration: 'text', amount: 'int', since: 'timestamptz' },
)

/** Lanes of the transaction's tenant. */
export class LaneStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** Wake the endpoints first. */
  async add(lanes: readonly NewLane[], replayId = LIVE): Promise<void> {
    if (lanes.length === 0) return
    const json = lanes.map(({ firstSequence, lastSequence, ...lane }) => ({
      ...lane,
      firstSequence: firstSequence.toString(),
      lastSequence: lastSequence.toString(),
    }))
    await this.#transaction.execute(add, [JSON.stringify(json), replayId])
  }

  async due(
    integration: string,
    wanted: { readonly lanes: number; readonly events: number; readonly except: readonly LaneRef[] },
  ): Promise<DueLane[]> {
    const rows = await this.#transaction.rows(due, [
      integration,
      wanted.except.map(({ agentId }) => agentId),
      wanted.except.map(({ replayId }) => replayId),
      wanted.events,
      wanted.lanes,
    ])
    return rows.map((row) => ({
      ...laneOf(row),
      lastSequence: BigInt(row.last_sequence),
      events: hasEvents(row) ? row.events.map(toEvent) : [],
    }))
  }

  /** Only within a transaction that keeps the endpoint. */
  async move(integration: string, lanes: readonly LaneProgress[]): Promise<void> {
    if (lanes.length === 0) return
    const json = lanes.map((lane) => ({ ...lane, nextSequence: lane.nextSequence.toString() }))
    await together([
      this.#transaction.execute(move, [integration, JSON.stringify(json)]),
      this.#transaction.execute(removeDone, [
        integration,
        lanes.map(({ agentId }) => agentId),
        lanes.map(({ replayId }) => replayId),
      ]),
    ])
  }

  async hurry(integration: string): Promise<void> {
    await this.#transaction.execute(hurry, [integration])
  }

  /** Turns lanes that have waited since then into dead letters. Returns how many. */
  giveUp(
    integration: string,
    waitingSince: number,
    { error, amount }: { readonly error: string; readonly amount: number },
  ): Promise<number> {
    return this.#transaction.execute(giveUp, [integration, new Date(waitingSince), error, amount])
  }

  /** Only within a transaction that keeps the endpoint. */
  async giveUpOne(
    integration: string,
    { agentId, replayId, lastSequence }: LaneRef & Pick<DueLane, 'lastSequence'>,
    error: string,
  ): Promise<void> {
    await this.#transaction.execute(giveUpOne, [integration, agentId, replayId, error, lastSequence])
  }

  /** Everything since then. Returns how many agents that concerns. */
  replaySince(integration: string, replayId: string, since: number, maxAgents: number): Promise<number> {
    return this.#transaction.execute(replaySince, [integration, replayId, new Date(since), maxAgents])
  }

  replayDead(integration: string, replayId: string, maxAgents: number): Promise<number> {
    return this.#transaction.execute(replayDead, [integration, replayId, maxAgents])
  }

  async waiting(
    integrations: readonly string[],
  ): Promise<Map<string, { readonly amount: number; readonly since: number }>> {
    const rows = await this.#transaction.rows(waiting, [integrations])
    return new Map(
      rows.map(({ integration, amount, since }) => [integration, { amount, since: since.getTime() }]),
    )
  }
}

const NOBODY: AgentIdentity = { workspace: '', ownerProvider: 'PROVIDER_UNSPECIFIED', account: '', path: [] }

export function laneOf(row: LaneRow) {
  return {
    agentId: row.agent_id,
    replayId: row.replay_id,
    identity: row.agent?.identity ?? NOBODY,
    labels: row.agent?.labels ?? {},
    nextSequence: BigInt(row.next_sequence),
    attempts: row.attempts,
    waitingSince: row.waiting_since.getTime(),
  }
}

/** Nothing is sent of an agent that is gone. */
export function hasEvents({ agent, is_of_tenant: isOfTenant }: LaneRow): boolean {
  return agent !== null || isOfTenant
}

export function toEvent({ sequence, at, actor, event }: StoredEvent): SentEvent {
  return { sequence: BigInt(sequence), at: Math.round(at), actor, event: sentEventFromJson(event) }
}

/** The tenant's own events contain no 64-bit numbers. */
export function sentEventFromJson(json: unknown): AgentEvent | TenantEvent {
  return isTyped(json) && isTenantEvent(json) ? json : eventFromJson(json)
}

function isTyped(json: unknown): json is { readonly type: string } {
  return typeof json === 'object' && json !== null && 'type' in json && typeof json.type === 'string'
}
