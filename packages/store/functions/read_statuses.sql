-- Everything the status operation returns, for several agents of one tenant, in one statement that binds itself to it: a
-- transaction around it would cost two more. Includes only the first pending messages and the start of their texts,
-- because an agent may have hundreds of megabytes of them.
--
-- `limit 1` keeps the planner from joining the list with all agents of the tenant.
create or replace function read_statuses(tenant uuid, wanted text[]) returns table (
  asked bigint, state json, tree_cost bigint, follow_ups json, build text
)
language plpgsql stable
as $$
begin
  perform set_config('skein.tenant', tenant::text, true);
  return query
  select w.asked, a.state,
    a.cost_micros + (select coalesce(sum(t.cost_micros), 0)::bigint from agent t
                     where t.tenant_id = tenant and t.key > w.key || '/' and t.key < w.key || '0'),
    (select json_agg(json_build_object('state', f.state, 'body', json_strip_nulls(json_build_object(
         'followUpId', f.follow_up_id, 'description', left(b.description, 1025), 'createdAt', b."createdAt",
         'deliverAt', b."deliverAt"))) order by f.position)
     from (select p.state, p.follow_up_id, p.body, p.position from follow_up p
           where p.agent_id = a.id and p.state in ('QUEUED', 'DEFERRED') order by p.position limit 20) as f,
       json_to_record(f.body) as b(description text, "createdAt" bigint, "deliverAt" bigint)),
    (select r.document -> 'build' ->> 'name' from resource r
     where r.tenant_id = tenant and r.kind = 'pool' and r.name = a.pool)
  from unnest(wanted) with ordinality as w(key, asked), lateral (
    select o.id, o.state, o.cost_micros, o.pool from agent o where o.tenant_id = tenant and o.key = w.key limit 1) as a;
end
$$;

grant execute on function read_statuses(uuid, text[]) to skein_server;
