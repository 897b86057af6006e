import { Client } from 'pg'
import { BenchClient } from './http-client.ts'
import type { Comparison } from './comparison.ts'

export interface SeededAgent {
  readonly id: string
  readonly key: string
  readonly name: string
}

const OWNER = 'default/PROVIDER_CODEHOST_OAUTH/ada'
const STEP = 50_000

/** The agents of Skein's tenant and those of the bare engine's, by their first digit. */
type Side = '0' | '1'

/**
 * Fills both tenants with idle agents: copies of one that was spawned, claimed and completed over HTTP. Columns and
 * state say the same, as in production: otherwise the first command to each agent would have to write every index.
 */
export async function seedRestingAgents(
  stage: Comparison,
  target: number,
): Promise<(side: Side, index: number) => SeededAgent> {
  const client = new Client({ connectionString: stage.ownerUrl })
  await client.connect()
  await runTemplate(stage)
  await client.query(
    `create function agent_uuid(side text, n int) returns uuid immutable language sql
     return ('0000000' || side || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  )
  for (const [side, tenantId] of [
    ['0', stage.tenantId],
    ['1', stage.bareTenantId],
  ]) {
    for (let from = 0; from < target; from += STEP) {
      await client.query(
        `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool,
           phase, is_terminal, labels, cost_micros, state, listed, created_at, updated_at)
         select agent_uuid($1, n), $2, k.key, k.key, '', t.owner_provider, t.account, t.workspace, t.pool,
           t.phase, t.is_terminal, t.labels, t.cost_micros,
           (t.state::jsonb || jsonb_build_object('id', agent_uuid($1, n)::text, 'createdAt', k.created_ms,
             'identity', t.state::jsonb -> 'identity' || jsonb_build_object('path', jsonb_build_array('r' || n))))::json,
           (t.listed::jsonb || jsonb_build_object('createdAt', k.created_ms))::json,
           to_timestamp(k.created_ms / 1000.0), t.updated_at
         from generate_series($3::int, $4::int - 1) n, agent t,
           lateral (select $5 || '/r' || n as key, (t.state ->> 'createdAt')::bigint - n as created_ms) k
         where t.tenant_id = $6 and t.key = $5 || '/template'`,
        [side, tenantId, from, Math.min(from + STEP, target), OWNER, stage.tenantId],
      )
    }
  }
  await client.query(
    `insert into live_agents (tenant_id, part, amount) values ($1, 0, $2)
     on conflict (tenant_id, part) do update set amount = live_agents.amount + excluded.amount`,
    [stage.tenantId, target],
  )
  await client.query(
    `update fleet_count f set waiting = waiting + $2
     where tenant_id = $1 and part = (select min(part) from fleet_count m where m.tenant_id = $1)`,
    [stage.tenantId, target],
  )
  await client.query('vacuum analyze')
  await client.end()
  return (side, index) => ({
    id: `0000000${side}-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
    key: `${OWNER}/r${index}`,
    name: `r${index}`,
  })
}

/** A real agent that ran once and rests. */
async function runTemplate({ baseUrl, adminKey, runnerKey }: Comparison): Promise<void> {
  const admin = await BenchClient.open(baseUrl, adminKey)
  const runner = await BenchClient.open(baseUrl, runnerKey)
  await admin.post(
    '/v1/agent/spawn',
    JSON.stringify({
      agentId: { workspace: 'default', agent: ['template'] },
      description: 'Look after the house.',
    }),
  )
  const polled = await runner.post('/v1/runner/poll', JSON.stringify({ capacity: 1 }))
  const [run] = (JSON.parse(polled) as { runs: { lease: string }[] }).runs
  await runner.post(
    '/v1/runner/complete',
    JSON.stringify({ lease: run?.lease, outcome: { reason: 'rested' } }),
  )
  admin.close()
  runner.close()
}
