import { Client } from 'pg'
import type { Stage } from './stage.ts'
import { BenchClient } from './http-client.ts'

export interface SeededAgent {
  readonly id: string
  readonly key: string
  readonly name: string
}

/** Fills the tenant with idle agents: copies of a real one that ran once. */
export async function seedRestingAgents(
  stage: Stage,
  target: number,
): Promise<(index: number) => SeededAgent> {
  const client = new Client({ connectionString: stage.ownerUrl })
  await client.connect()
  await spawnTemplate(stage, client)
  const { rows } = await client.query<{ n: string }>(
    `select count(*) as n from agent where key like 'default/%/r%'`,
  )
  const first = Number(rows[0]?.n ?? 0)
  const step = 50_000
  for (let from = first; from < target; from += step) {
    const to = Math.min(from + step, target)
    await client.query(
      `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool,
         phase, is_terminal, labels, cost_micros, state, created_at, updated_at)
       select agent_uuid(n), t.tenant_id, k.key, k.key, '', t.owner_provider, t.account, t.workspace, t.pool,
         'PHASE_WAITING', false, '{}', t.cost_micros,
         (t.state::jsonb || jsonb_build_object('id', agent_uuid(n)::text, 'phase', 'PHASE_WAITING',
           'identity', t.state::jsonb -> 'identity' || jsonb_build_object('path', jsonb_build_array('r' || n))))::json,
         t.created_at - n * interval '1 millisecond', t.updated_at
       from generate_series($1::int, $2::int - 1) n, agent t,
         lateral (select 'default/PROVIDER_CODEHOST_OAUTH/ada/r' || n as key) k
       where t.key = 'default/PROVIDER_CODEHOST_OAUTH/ada/template'`,
      [from, to],
    )
  }
  await client.query('analyze agent')
  await client.end()
  return (index) => ({
    id: agentUuid(index),
    key: `default/PROVIDER_CODEHOST_OAUTH/ada/r${index}`,
    name: `r${index}`,
  })
}

function agentUuid(index: number): string {
  return `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
}

/** A real agent: spawned over HTTP, then made idle. */
async function spawnTemplate(stage: Stage, client: Client): Promise<void> {
  await client.query(
    `create or replace function agent_uuid(n int) returns uuid immutable language sql
     return ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  )
  const { rowCount } = await client.query(`select from agent where key like '%/template'`)
  if (rowCount === 1) return
  const http = await BenchClient.open(stage.baseUrl, stage.adminKey)
  await http.post(
    '/v1/agent/spawn',
    JSON.stringify({
      agentId: { workspace: 'default', agent: ['template'] },
      description: 'Look after the house.',
    }),
  )
  http.close()
  await client.query(`delete from run`)
  await client.query(
    `update agent set phase = 'PHASE_WAITING', state = (state::jsonb || '{"phase":"PHASE_WAITING","queue":[]}'
       || jsonb_build_object('run', state::jsonb -> 'run' || '{"state":"ended","endReason":"rested"}'))::json
     where key like '%/template'`,
  )
}
