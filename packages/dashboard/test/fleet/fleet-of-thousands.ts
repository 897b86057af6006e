import type { TestServer, TestTenant } from '@skein/testkit'
import { Client } from 'pg'

/**
 * Fills a tenant with agents: copies of one that was spawned. Every tenth is a root with nine children, every
 * hundredth asks something, a third is at work.
 */
export async function seedThousands(server: TestServer, tenant: TestTenant, amount: number): Promise<void> {
  const { status, text } = await tenant.admin.post('/v1/agent/spawn', {
    agentId: { workspace: 'default', agent: ['template'] },
    description: 'Look after the house.',
  })
  if (status !== 200) throw new Error(text)
  const client = new Client({ connectionString: server.database.ownerUrl })
  await client.connect()
  try {
    await client.query('alter table agent disable trigger user')
    await client.query(
      `insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool,
         phase, is_terminal, labels, cost_micros, state, created_at, updated_at)
       select p.id, t.tenant_id, p.base || p.path, p.base || 'r' || p.root, p.parent, t.owner_provider,
         t.account, t.workspace, t.pool, p.phase, false, '{}', n,
         (t.state::jsonb || jsonb_build_object('id', p.id::text, 'phase', p.phase,
           'createdAt', (t.state ->> 'createdAt')::bigint - n * 1000,
           'needsInput', case when n % 100 = 0 then 'Which of the ' || n || ' ways?' else '' end,
           'identity', t.state::jsonb -> 'identity' || jsonb_build_object('path', to_jsonb(string_to_array(p.path, '/')))
         ))::json,
         t.created_at - n * interval '1 second', t.updated_at
       from generate_series(0, $1::int - 1) n, agent t,
         lateral (select left(t.key, -length('template')) as base, n / 10 as root) b,
         lateral (select gen_random_uuid() as id, b.base, b.root,
           case when n % 10 = 0 then 'r' || b.root else 'r' || b.root || '/c' || n end as path,
           case when n % 10 = 0 then '' else b.base || 'r' || b.root end as parent,
           case when n % 3 = 1 then 'PHASE_RUNNING' else 'PHASE_WAITING' end as phase) p
       where t.key like '%/template' and t.tenant_id = $2`,
      [amount, tenant.id],
    )
    await client.query('alter table agent enable trigger user')
    await client.query('analyze agent')
  } finally {
    await client.end()
  }
}
