import type { PostgresServer } from '@skein/testkit'
import { WORKSPACE } from './installation.ts'
import { query } from './query.ts'

/** An agent that a schedule or trigger started. */
export interface StartedAgent {
  readonly name: string
  readonly spawnedAt: number
  readonly endedAt: number | undefined
  /** How often it was started. */
  readonly lives: number
}

export async function readAgents(postgres: PostgresServer): Promise<ReadonlyMap<string, StartedAgent>> {
  const rows = await query<{ name: string; spawned: number; ended: number | null; lives: number }>(
    postgres,
    `select a.state -> 'identity' -> 'path' ->> 0 as name, (a.state ->> 'createdAt')::float8 as spawned,
       case when a.is_terminal then (a.state ->> 'endedAt')::float8 end as ended,
       (select count(*)::int from timeline t where t.agent_id = a.id and t.event ->> 'type' = 'agent.spawned') as lives
     from agent a where a.workspace = '${WORKSPACE}'`,
  )
  return new Map(
    rows.map(({ name, spawned, ended, lives }) => [
      name,
      { name, spawnedAt: spawned, endedAt: ended ?? undefined, lives },
    ]),
  )
}

/** How often each message was accepted, by its id. */
export async function readMessages(postgres: PostgresServer): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ id: string; times: number }>(
    postgres,
    `select t.event -> 'followUp' ->> 'followUpId' as id, count(*)::int as times
     from timeline t join agent a on a.id = t.agent_id
     where a.workspace = '${WORKSPACE}' and t.event ->> 'type' = 'follow-up.queued' group by 1`,
  )
  return new Map(rows.map(({ id, times }) => [id, times]))
}
