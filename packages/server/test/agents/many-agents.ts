import type { AgentId } from '@skein/contract'
import type { AgentWorld } from './agent-world.ts'

/**
 * Copies an agent, with its messages, its run and its lease, next to itself: as if so many had been spawned and, where
 * it is running, claimed. A hundred times as fast.
 */
export async function copyAgent(world: AgentWorld, { agent }: AgentId, count: number): Promise<void> {
  const name = agent.at(-1) ?? ''
  await world.sql(
    `with seed as materialized (select * from agent where tenant_id = $1 and key like '%/' || $2),
     ids as materialized (
       select gen_random_uuid() as id, $3 || '-' || n as name, s.parent_key, s.id as seed_id,
         left(s.key, -length($3)) || $3 || '-' || n as key
       from seed s, generate_series(1, $4) n),
     agents as (
       insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool,
         phase, is_terminal, labels, cost_micros, state, created_at, updated_at)
       select i.id, s.tenant_id, i.key, case when s.parent_key = '' then i.key else s.root_key end, s.parent_key,
         s.owner_provider, s.account, s.workspace, s.pool, s.phase, s.is_terminal, s.labels, s.cost_micros,
         jsonb_set(jsonb_set(s.state::jsonb, '{id}', to_jsonb(i.id)),
           array['identity', 'path', $5::text], to_jsonb(i.name))::json, s.created_at, s.updated_at
       from seed s, ids i),
     messages as (
       insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, run_id, created_at)
       select f.tenant_id, i.id, f.follow_up_id, f.state, f.body, f.position, f.run_id, f.created_at
       from follow_up f join ids i on i.seed_id = f.agent_id),
     leases as (
       insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
       select i.id, l.tenant_id, l.run_id, l.attempt, l.runner, l.expires_at
       from lease l join ids i on i.seed_id = l.agent_id)
     insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     select i.id, r.tenant_id, i.key, case when i.parent_key = '' then i.key else r.root_key end, r.pool, r.run_id,
       r.attempt, r.is_leased, r.available_at
     from run r join ids i on i.seed_id = r.agent_id`,
    [world.tenant.id, agent.join('/'), name, count, agent.length - 1],
  )
}
