import type { FilteredAgent } from '@skein/core'
import { meant, type RowOf } from '../../database/columns.ts'
import { statement } from '../../database/statement.ts'
import type { Transaction } from '../../database/transaction.ts'
import {
  buryGivenUp,
  hasEvents,
  LANE,
  laneOf,
  toEvent,
  type LaneRef,
  type SentEvent,
  type StoredEvent,
} from '../webhooks/lane-store.ts'

/** An event that may be told, and what the agent said or why it failed when its run ended just before. */
interface ToldEvent extends SentEvent {
  readonly ending: string
}

/** A lane's part of a message. */
export interface MessageLane extends LaneRef, FilteredAgent {
  readonly isOfTenant: boolean
  readonly nextSequence: bigint
  /** The last event that is in the message, or may be. */
  readonly messageSequence: bigint
  readonly attempts: number
  readonly waitingSince: number
  readonly settled: readonly string[]
  readonly events: readonly ToldEvent[]
}

/** How much of a lane is looked at for one message. */
interface Bounds {
  readonly lanes: number
  /** Events of any type. */
  readonly span: number
  /** Events that may be told. */
  readonly told: number
  readonly types: readonly string[]
}

const MESSAGE_LANE = {
  ...LANE,
  message_sequence: 'bigint',
  settled: 'text[]',
  agent: meant<FilteredAgent | null>('json?'),
  events: meant<readonly StoredToldEvent[]>('json'),
} as const

interface StoredToldEvent extends StoredEvent {
  readonly ending: string | null
}

/** How far before the end of an agent the end of its run is looked for. */
export const ENDING_SPAN = 50

const columns = (
  last: string,
  most: string,
) => `l.agent_id, l.replay_id, l.agent_id = l.tenant_id as is_of_tenant,
     l.next_sequence, ${last} as message_sequence, l.attempts, l.waiting_since, l.settled,
     (select json_build_object('identity', a.state -> 'identity', 'labels', a.labels) from agent a
      where a.id = l.agent_id) as agent,
     (select coalesce(json_agg(json_build_object('sequence', e.sequence::text,
        'at', extract(epoch from e.created_at) * 1000, 'actor', e.actor, 'event', e.event, 'ending', case
          when e.event ->> 'to' in ('PHASE_COMPLETED', 'PHASE_FAILED') then (
            select left(coalesce(r.event -> 'error' ->> 'message', r.event ->> 'message'), 2000) from timeline r
            where r.agent_id = l.agent_id and r.sequence between e.sequence - ${ENDING_SPAN} and e.sequence - 1
              and r.event ->> 'type' = 'run.ended'
            order by r.sequence desc limit 1) end) order by e.sequence), '[]')
      from (select t.sequence, t.created_at, t.actor, t.event from timeline t
        where t.agent_id = l.agent_id and t.sequence between l.next_sequence and ${last}
          and t.event ->> 'type' = any($2)
        order by t.sequence limit ${most}) e) as events`

/** A message that was composed before and is due: the oldest. */
const findDue = statement(
  'message_find_due',
  `select l.message_id from lane l
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.due_at <= now() and l.message_id is not null
   order by l.due_at limit 1`,
  { message_id: 'uuid?' },
)

const read = statement(
  'message_read',
  `select ${columns('coalesce(l.message_sequence, 0)', '1000')} from lane l
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.message_id = $3`,
  MESSAGE_LANE,
)

const isDue = statement(
  'message_is_due',
  `select exists (select from lane l
     where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.due_at <= now()
       and l.message_id is null) as is_due`,
  { is_due: 'boolean' },
)

/** All that waits, whether its own time has come or not: what happened within a minute becomes one message. */
const readWaiting = statement(
  'message_read_waiting',
  `select ${columns('least(l.last_sequence, l.next_sequence + $3)', '$4')} from lane l
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.message_id is null
   order by l.due_at, l.agent_id, l.replay_id limit $5`,
  MESSAGE_LANE,
)

const compose = statement(
  'message_compose',
  `update lane l set message_id = $2, message_sequence = p."messageSequence", due_at = now()
   from json_to_recordset($3::json) as p("agentId" uuid, "replayId" uuid, "messageSequence" bigint)
   where l.tenant_id = skein_current_tenant() and l.integration = $1 and l.agent_id = p."agentId"
     and l.replay_id = p."replayId"`,
)

/** Before the rest waits for more: whether a lane has events left is known only once it is locked. */
const removeDone = statement(
  'message_remove_done',
  `delete from lane where tenant_id = skein_current_tenant() and integration = $1 and message_id = $2
     and message_sequence >= last_sequence`,
)

/** `greatest`: the events may have been sent one by one meanwhile. */
const keepRest = statement(
  'message_keep_rest',
  `update lane set next_sequence = greatest(next_sequence, message_sequence + 1), message_id = null,
     message_sequence = null, settled = '{}', attempts = 0, waiting_since = now(),
     due_at = now() + make_interval(secs => $3 / 1000.0)
   where tenant_id = skein_current_tenant() and integration = $1 and message_id = $2`,
)

const postpone = statement(
  'message_postpone',
  `update lane set attempts = $3, due_at = $4, settled = $5
   where tenant_id = skein_current_tenant() and integration = $1 and message_id = $2`,
)

const giveUp = statement(
  'message_give_up',
  `with given_up as (
     delete from lane where tenant_id = skein_current_tenant() and integration = $1 and message_id = $2
     returning agent_id, next_sequence, last_sequence
   )
   ${buryGivenUp('$3')}`,
)

/** Messages for people on their way to an endpoint of the transaction's tenant. Only for its holder. */
export class MessageStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** A message that was composed before and is due, with the same events. */
  async due(
    integration: string,
    types: readonly string[],
  ): Promise<{ readonly id: string; readonly lanes: MessageLane[] } | undefined> {
    const id = (await this.#transaction.row(findDue, [integration]))?.message_id
    if (id === undefined || id === null) return undefined
    const rows = await this.#transaction.rows(read, [integration, types, id])
    return { id, lanes: rows.map(toLane).toSorted(byAge) }
  }

  /** What can go into a new message; empty if nothing is due. */
  async waiting(integration: string, { lanes, span, told, types }: Bounds): Promise<MessageLane[]> {
    const row = await this.#transaction.row(isDue, [integration])
    if (row?.is_due !== true) return []
    const rows = await this.#transaction.rows(readWaiting, [integration, types, span - 1, told, lanes])
    const found = rows.map(toLane).toSorted(byAge)
    return found.map((lane) => {
      const last = lane.events.at(-1)
      // There may be more behind the last one that was read.
      return last && lane.events.length === told ? { ...lane, messageSequence: last.sequence } : lane
    })
  }

  /** From now on, these events are in this message, until it was sent or is given up. */
  async compose(integration: string, id: string, lanes: readonly MessageLane[]): Promise<void> {
    const json = lanes.map(({ agentId, replayId, messageSequence }) => ({
      agentId,
      replayId,
      messageSequence: messageSequence.toString(),
    }))
    await this.#transaction.execute(compose, [integration, id, JSON.stringify(json)])
  }

  /** It was sent, or there was nothing to tell. */
  async finish(integration: string, id: string, delayMs: number): Promise<void> {
    await this.#transaction.execute(removeDone, [integration, id])
    await this.#transaction.execute(keepRest, [integration, id, delayMs])
  }

  async postpone(
    integration: string,
    id: string,
    later: { readonly attempts: number; readonly dueAt: number; readonly settled: readonly string[] },
  ): Promise<void> {
    const { attempts, dueAt, settled } = later
    await this.#transaction.execute(postpone, [integration, id, attempts, new Date(dueAt), settled])
  }

  async giveUp(integration: string, id: string, error: string): Promise<void> {
    await this.#transaction.execute(giveUp, [integration, id, error])
  }
}

/** The same whenever the message is read, so that it says the same when it is sent again. */
function byAge(one: MessageLane, other: MessageLane): number {
  const keyOf = ({ agentId, replayId }: MessageLane) => `${agentId}/${replayId}`
  return one.waitingSince - other.waitingSince || (keyOf(one) < keyOf(other) ? -1 : 1)
}

function toLane(row: RowOf<typeof MESSAGE_LANE>): MessageLane {
  return {
    ...laneOf(row),
    isOfTenant: row.is_of_tenant,
    messageSequence: BigInt(row.message_sequence),
    settled: row.settled,
    events: hasEvents(row)
      ? row.events.map((event) => ({ ...toEvent(event), ending: event.ending ?? '' }))
      : [],
  }
}
