-- Everything the status operation returns, in one statement that binds itself to its tenant: a transaction around it
-- would cost two more. Includes only the first pending messages and the start of their texts, because an agent may have
-- hundreds of megabytes of them.
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
    (select json_agg(json_build_object('state', f.state, 'body', json_strip_nulls(json_build_object(
         'followUpId', f.follow_up_id, 'description', left(b.description, 1025), 'createdAt', b."createdAt",
         'deliverAt', b."deliverAt"))) order by f.position)
     from (select p.state, p.follow_up_id, p.body, p.position from follow_up p
           where p.agent_id = a.id and p.state in ('QUEUED', 'DEFERRED') order by p.position limit 20) as f,
       json_to_record(f.body) as b(description text, "createdAt" bigint, "deliverAt" bigint)),
    (select r.document -> 'build' ->> 'name' from resource r
     where r.tenant_id = tenant and r.kind = 'pool' and r.name = a.state ->> 'pool')
  from agent a where a.tenant_id = tenant and a.key = wanted;
end
$$;

grant execute on function read_status(uuid, text) to skein_server;
