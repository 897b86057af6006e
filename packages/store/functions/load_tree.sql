-- The first round trip of a command: binds the transaction to its tenant, locks the tree, and only then reads, in a later
-- statement with its own snapshot. Locking and reading in one statement would lose updates.
create or replace function load_tree(
  tenant uuid, tree text, command_id bytea, not_before timestamptz, keys text[], below text, message text
) returns json
language plpgsql
as $$
declare
  target uuid;
begin
  perform set_config('skein.tenant', tenant::text, true);
  perform pg_advisory_xact_lock(hashtextextended(encode(command_id, 'hex'), 1));
  perform pg_advisory_xact_lock(hashtextextended(tenant::text || '/' || tree, 2));
  select a.id into target from agent a where a.tenant_id = tenant and a.key = keys[1];
  return json_build_object(
    'command', (select json_build_object('requestSha256', encode(c.request_sha256, 'hex'), 'answer', c.answer)
                from command c where c.tenant_id = tenant and c.id = command_id and c.created_at > not_before
                order by c.created_at desc limit 1),
    'agents', (select json_object_agg(a.key, a.state) from agent a where a.tenant_id = tenant and a.key = any(keys)),
    'below', case when below is not null then
      (select json_agg(a.state) from agent a
       where a.tenant_id = tenant and a.key > below || '/' and a.key < below || '0') end,
    'followUp', case when message is not null then
      (select json_build_object('state', f.state, 'position', f.position::text) from follow_up f
       where f.agent_id = target and f.follow_up_id = message) end,
    'queuedBytes', case when message is not null then
      (select sum(q.amount) from queued_bytes q where q.tenant_id = tenant) end,
    'quota', (select r.document from resource r
              where r.tenant_id = tenant and r.kind = 'quota' and r.name = 'default'),
    'ceiling', (select r.document from resource r
                where r.tenant_id = tenant and r.kind = 'ceiling' and r.name = 'default')
  );
end
$$;

grant execute on function load_tree(uuid, text, bytea, timestamptz, text[], text, text) to skein_server;
