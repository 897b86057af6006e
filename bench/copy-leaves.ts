import type { Client } from 'pg'

const ROWS = `
  with leaf as (
    select a.*, regexp_replace(a.key, '/b0/l0$', '') as root from agent a
    where a.tenant_id = $1 and a.key like '%/' || $2 || '/b0/l0'
  ), copies as (
    select l.*, gen_random_uuid() as copy_id, 'b' || n % $3::int as branch, 'l' || n as name
    from leaf l, generate_series(1, $4::int) n
  ), agents as (
    insert into agent select copy.* from copies c, jsonb_populate_record(null::agent, to_jsonb(c) || jsonb_build_object(
      'id', copy_id, 'key', root || '/' || branch || '/' || name, 'parent_key', root || '/' || branch,
      'state', c.state::jsonb || jsonb_build_object('id', copy_id,
        'identity', c.state::jsonb -> 'identity' || jsonb_build_object('path', jsonb_build_array($2::text, branch, name)))
    )) copy returning id, key
  ), runs as (
    insert into run select copy.* from agents a, leaf l join run r on r.agent_id = l.id,
      jsonb_populate_record(null::run, to_jsonb(r) || jsonb_build_object('agent_id', a.id, 'agent_key', a.key)) copy
  ), messages as (
    insert into follow_up select copy.* from agents a, leaf l join follow_up f on f.agent_id = l.id,
      jsonb_populate_record(null::follow_up, to_jsonb(f) || jsonb_build_object('agent_id', a.id)) copy
  ), events as (
    insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
    select t.tenant_id, a.id, t.sequence, t.created_at, t.actor, t.event
    from agents a, leaf l join timeline t on t.agent_id = l.id
  )
  select key from agents`

/** Copies the only leaf of a tree, with its run, message and timeline, and counts the copies as commands would. */
export async function copyLeaves(
  owner: Client,
  tenantId: string,
  { root, branches, amount }: { root: string; branches: number; amount: number },
): Promise<string[][]> {
  const { rows } = await owner.query<{ key: string }>(ROWS, [tenantId, root, branches, amount])
  await owner.query(
    `update live_agents set amount = amount + $2
     where tenant_id = $1 and part = (select min(part) from live_agents where tenant_id = $1)`,
    [tenantId, amount],
  )
  await owner.query(
    `update fleet_count set pending = pending + $2
     where tenant_id = $1 and part = (select min(part) from fleet_count where tenant_id = $1)`,
    [tenantId, amount],
  )
  await owner.query(
    `update queued_bytes q set amount = q.amount + $2::bigint * (
       select sum(b.amount) / (select count(*) - $2::bigint from agent a where a.tenant_id = $1 and not a.is_terminal) from queued_bytes b where b.tenant_id = $1)
     where q.tenant_id = $1 and q.part = (select min(part) from queued_bytes where tenant_id = $1)`,
    [tenantId, amount],
  )
  await owner.query('analyze')
  return rows.map(({ key }) => key.split('/').slice(-3))
}
