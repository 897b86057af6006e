-- All that the status operation tells, in one statement that binds itself to its tenant: a transaction around it
-- would cost two more.
create or replace function read_status(tenant uuid, wanted text) returns table (
  state json, tree_cost bigint, follow_ups json, build text
)
language plpgsql stable
as $$
begin
  perform set_config('skein.tenant', tenant::text, true);
  return query
  select a.state,
    (select coalesce(sum(t.cost_micros), 0)::bigint from agent t
     where t.tenant_id = tenant and (t.key = wanted or (t.key > wanted || '/' and t.key < wanted || '0'))),
    (select json_agg(json_build_object('state', f.state, 'body', f.body) order by f.position)
     from follow_up f where f.agent_id = a.id and f.state in ('QUEUED', 'DEFERRED')),
    (select r.document -> 'build' ->> 'name' from resource r
     where r.tenant_id = tenant and r.kind = 'pool' and r.name = a.state ->> 'pool')
  from agent a where a.tenant_id = tenant and a.key = wanted;
end
$$;

grant execute on function read_status(uuid, text) to skein_server;
