import { isDeepStrictEqual } from 'node:util'
import { agentFromJson, eventFromJson, isLive, replay, type AgentState } from '@skein/core'
import type { Client } from 'pg'
import type { Report } from './report.ts'

/** What the database itself must agree with: the API shows events, but not all that a replay needs. */
export async function checkStored(report: Report, owner: Client): Promise<void> {
  const agents = await readAgents(owner)
  const differing: string[] = []
  for (const agent of agents) {
    if (!(await isReplayed(owner, agent))) differing.push(agent.identity.path.join('/'))
  }
  report.check('every stored state is what its timeline gives when it is replayed', agents.length, differing)
  const { rows: leftovers } = await owner.query<{ line: string }>(
    `select 'run of ' || agent_key as line from run union all select 'lease of ' || agent_id from lease
     union all select 'timer of ' || agent_key || ' for ' || follow_up_id from timer`,
  )
  report.check(
    'no run, lease or timer is left',
    agents.length,
    leftovers.map(({ line }) => line),
  )
  const { rows } = await owner.query<{ amount: number }>('select sum(amount)::int as amount from live_agents')
  const [counted, live] = [rows[0]?.amount ?? 0, agents.filter(isLive).length]
  report.check('the count of live agents is right', live, counted === live ? [] : [`it says ${counted}`])
}

async function readAgents(owner: Client): Promise<AgentState[]> {
  const { rows } = await owner.query<{ state: unknown }>('select state from agent')
  return rows.map(({ state }) => agentFromJson(state))
}

async function isReplayed(owner: Client, agent: AgentState): Promise<boolean> {
  const { rows } = await owner.query<{ sequence: string; created_at: Date; event: unknown }>(
    'select sequence, created_at, event from timeline where agent_id = $1 order by sequence',
    [agent.id],
  )
  const replayed = replay(
    rows.map((row) => ({
      sequence: BigInt(row.sequence),
      at: row.created_at.getTime(),
      event: eventFromJson(row.event),
    })),
  )
  return isDeepStrictEqual(replayed, agent)
}
