import { Client } from 'pg'
import { BenchClient } from '../http-client.ts'
import type { Stage } from './stage.ts'

const OWNER = 'default/PROVIDER_CODEHOST_OAUTH/ada'

/** Fills the tenant with agents at rest, `r0` and so on: copies of a real one. Works with older sources too. */
export async function seedAgents(stage: Stage, amount: number): Promise<void> {
  const http = await BenchClient.open(stage.baseUrl, stage.adminKey)
  const agentId = { workspace: 'default', agent: ['template'] }
  await http.post('/v1/agent/spawn', JSON.stringify({ agentId, description: 'Look after the house.' }))
  http.close()
  const client = new Client({ connectionString: stage.ownerUrl })
  await client.connect()
  await client.query('delete from run')
  await client.query(
    `create function agent_uuid(n int) returns uuid immutable language sql
     return ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  )
  await client.query(
    `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool,
       phase, is_terminal, labels, cost_micros, state, created_at, updated_at)
     select agent_uuid(n), t.tenant_id, k.key, k.key, '', t.owner_provider, t.account, t.workspace, t.pool,
       'PHASE_WAITING', false, '{}', t.cost_micros,
       (t.state::jsonb || '{"phase":"PHASE_WAITING","queue":[]}' || jsonb_build_object('id', agent_uuid(n)::text,
         'run', t.state::jsonb -> 'run' || '{"state":"ended","endReason":"rested"}',
         'identity', t.state::jsonb -> 'identity' || jsonb_build_object('path', jsonb_build_array('r' || n))))::json,
       t.created_at - n * interval '1 millisecond', t.updated_at
     from generate_series(0, $1::int - 1) n, agent t, lateral (select $2 || '/r' || n as key) k
     where t.key = $2 || '/template'`,
    [amount, OWNER],
  )
  await client.query('vacuum analyze')
  await client.end()
}
