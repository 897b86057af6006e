import { agentFromJson, isLive, type AgentState } from '@skein/core'
import { AgentReader, type ActedEvent, type Database } from '@skein/store'
import type { Client } from 'pg'

/** Everything that the database says about the agents of a tenant. */
export interface StoredFleet {
  readonly agents: readonly StoredAgent[]
  readonly liveCount: number
  readonly runs: readonly RunRow[]
  readonly leases: readonly LeaseRow[]
  readonly timers: readonly TimerRow[]
}

interface StoredAgent {
  readonly state: AgentState
  readonly columns: { phase: string; is_terminal: boolean; cost_micros: string; labels: unknown }
  readonly events: readonly ActedEvent[]
  readonly followUps: Readonly<Record<string, FollowUpFacts>>
  readonly outbox: readonly { first: bigint; last: bigint }[]
}

interface FollowUpFacts {
  readonly state: string
  readonly runId: string | null
  readonly position: string
}

interface RunRow {
  agent_id: string
  run_id: string
  attempt: number
  is_leased: boolean
  pool: string
}
type LeaseRow = Pick<RunRow, 'agent_id' | 'run_id' | 'attempt'>
interface TimerRow {
  agent_id: string
  follow_up_id: string
  due_at: Date
}

export async function readFleet(database: Database, owner: Client, tenantId: string): Promise<StoredFleet> {
  const rows = async <Row extends object>(sql: string): Promise<Row[]> =>
    (await owner.query<Row>(sql, [tenantId])).rows
  const agents = await rows<{ id: string; state: unknown } & StoredAgent['columns']>(
    'select id, phase, is_terminal, cost_micros, labels, state from agent where tenant_id = $1 order by key',
  )
  const followUps = await rows<{
    agent_id: string
    follow_up_id: string
    state: string
    run_id: string | null
    position: string
  }>('select agent_id, follow_up_id, state, run_id, position from follow_up where tenant_id = $1')
  const outbox = await rows<{ agent_id: string; first_sequence: string; last_sequence: string }>(
    'select agent_id, first_sequence, last_sequence from outbox where tenant_id = $1 order by first_sequence',
  )
  const [live] = await rows<{ amount: string }>(
    'select coalesce(sum(amount), 0) as amount from live_agents where tenant_id = $1',
  )
  return {
    agents: await Promise.all(
      agents.map(async ({ id, state, ...columns }) => ({
        state: agentFromJson(state),
        columns,
        events: await readTimeline(database, tenantId, id),
        followUps: Object.fromEntries(
          followUps
            .filter((row) => row.agent_id === id)
            .map((row) => [
              row.follow_up_id,
              { state: row.state, runId: row.run_id, position: row.position },
            ]),
        ),
        outbox: outbox
          .filter((row) => row.agent_id === id)
          .map((row) => ({ first: BigInt(row.first_sequence), last: BigInt(row.last_sequence) })),
      })),
    ),
    liveCount: Number(live?.amount),
    runs: await rows('select agent_id, run_id, attempt, is_leased, pool from run where tenant_id = $1'),
    leases: await rows('select agent_id, run_id, attempt from lease where tenant_id = $1'),
    timers: await rows('select agent_id, follow_up_id, due_at from timer where tenant_id = $1'),
  }
}

async function readTimeline(database: Database, tenantId: string, agentId: string): Promise<ActedEvent[]> {
  const events: ActedEvent[] = []
  for (;;) {
    const after = events.at(-1)?.sequence ?? 0n
    const page = await database.forTenant(tenantId, (transaction) =>
      new AgentReader(transaction).timelineBetween(agentId, { after }, 1000),
    )
    events.push(...page)
    if (page.length < 1000) return events
  }
}

/** What the events say that the rows beside the state must be. */
export function expectedFollowUps(events: readonly ActedEvent[]): Record<string, FollowUpFacts> {
  const found: Record<string, FollowUpFacts> = {}
  const become = (id: string, facts: Partial<FollowUpFacts>): void => {
    const before = found[id]
    if (!before) throw new Error(`Something happened to the message ${id} before it was accepted`)
    found[id] = { ...before, runId: null, ...facts }
  }
  let firstOfLife = 0n
  for (const { event, sequence } of events) {
    const position = sequence.toString()
    switch (event.type) {
      case 'agent.spawned':
        firstOfLife = sequence
        break
      case 'follow-up.queued':
      case 'follow-up.deferred': {
        const { followUpId } = event.followUp
        if (isTaken(found[followUpId], firstOfLife)) {
          throw new Error(`The message ${followUpId} was accepted twice`)
        }
        const state = event.type === 'follow-up.queued' ? 'QUEUED' : 'DEFERRED'
        found[followUpId] = { state, runId: null, position }
        break
      }
      case 'follow-up.due':
        become(event.followUpId, { state: 'QUEUED', position })
        break
      case 'follow-up.delivered':
        become(event.followUpId, { state: 'DELIVERED', runId: event.runId.toString() })
        break
      case 'follow-up.cleared':
        become(event.followUpId, { state: 'CLEARED' })
        break
      case 'follow-up.removed':
        become(event.followUpId, { state: 'REMOVED' })
        break
      case 'follow-up.dropped':
        become(event.followUpId, { state: 'DROPPED' })
        break
      default:
    }
  }
  return found
}

function isTaken(message: FollowUpFacts | undefined, firstOfLife: bigint): boolean {
  return message !== undefined && message.state !== 'REMOVED' && BigInt(message.position) >= firstOfLife
}

export function expectedRows(agents: readonly AgentState[]): Pick<StoredFleet, 'runs' | 'leases' | 'timers'> {
  const open = agents.flatMap(({ id, pool, run }) =>
    run === undefined || run.state === 'ended'
      ? []
      : [
          {
            agent_id: id,
            run_id: run.runId.toString(),
            attempt: run.attempt,
            is_leased: run.state === 'running',
            pool,
          },
        ],
  )
  return {
    runs: open,
    leases: open
      .filter(({ is_leased: isLeased }) => isLeased)
      .map(({ agent_id, run_id, attempt }) => ({ agent_id, run_id, attempt })),
    timers: agents.flatMap(({ id, deferred }) =>
      deferred.map(({ followUpId, deliverAt }) => ({
        agent_id: id,
        follow_up_id: followUpId,
        due_at: new Date(deliverAt ?? 0),
      })),
    ),
  }
}

export function countLive(agents: readonly AgentState[]): number {
  return agents.filter(isLive).length
}
