import { isDeepStrictEqual } from 'node:util'
import { agentFromJson, eventFromJson, replay, type AgentState, type RecordedEvent } from '@skein/core'
import type { Client } from 'pg'
import type { Report } from '../report.ts'

/** Checks the database itself: the API shows events, but not everything a replay needs. */
export async function checkStored(report: Report, owner: Client, prefix: string): Promise<void> {
  const keys = `%/ada/${prefix}%`
  const { rows: agents } = await owner.query<{ id: string; state: unknown }>(
    'select id, state from agent where key like $1',
    [keys],
  )
  const timelines = await readRecorded(owner, keys)
  report.check(
    'wrong',
    'every stored state is what its timeline gives when it is replayed',
    agents.length,
    agents.flatMap(({ id, state }) => {
      const agent = agentFromJson(state)
      return isReplayed(agent, timelines.get(id) ?? []) ? [] : [agent.identity.path.join('/')]
    }),
  )
  const { rows: leftovers } = await owner.query<{ line: string }>(
    `select 'run of ' || agent_key as line from run where agent_key like $1
     union all select 'lease of ' || a.key from lease join agent a on a.id = agent_id where a.key like $1
     union all select 'timer of ' || agent_key || ' for ' || follow_up_id from timer where agent_key like $1`,
    [keys],
  )
  report.check(
    'stuck',
    'no run, lease or timer is left',
    agents.length,
    leftovers.map(({ line }) => line),
  )
  const { rows } = await owner.query<{ counted: number; live: number }>(
    `select (select coalesce(sum(amount), 0)::int from live_agents) as counted,
            (select count(*)::int from agent where not is_terminal) as live`,
  )
  const { counted = 0, live = 0 } = rows[0] ?? {}
  const problems = counted === live ? [] : [`it says ${counted} of ${live}`]
  report.check('wrong', 'the count of live agents is right', 1, problems)
}

/** A timeline that cannot be replayed doesn't match either. */
function isReplayed(agent: AgentState, events: readonly RecordedEvent[]): boolean {
  try {
    return isDeepStrictEqual(replay(events), agent)
  } catch {
    return false
  }
}

async function readRecorded(owner: Client, keys: string): Promise<Map<string, RecordedEvent[]>> {
  const { rows } = await owner.query<{
    agent_id: string
    sequence: string
    created_at: Date
    event: unknown
  }>(
    `select t.agent_id, t.sequence, t.created_at, t.event from timeline t join agent a on a.id = t.agent_id
     where a.key like $1 order by t.agent_id, t.sequence`,
    [keys],
  )
  const found = new Map<string, RecordedEvent[]>()
  for (const { agent_id: id, sequence, created_at: at, event } of rows) {
    const events = found.get(id) ?? []
    events.push({ sequence: BigInt(sequence), at: at.getTime(), event: eventFromJson(event) })
    found.set(id, events)
  }
  return found
}
