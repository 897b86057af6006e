-- The first round trip of a command: binds the transaction to its tenant, locks the tree, and only then reads, in later
-- statements with their own snapshots. Locking and reading in one statement would lose updates.
--
-- What a command does not need is a statement of its own: the parts of a larger one are prepared at each call, needed or
-- not, and those of partitioned tables once for each partition. A command that cannot have been tried before is not looked
-- up: its `not_before` is null. Neither is a message with a new id: it is ''. Functions are called in assignments, which
-- PL/pgSQL evaluates without a query of their own.
create or replace function load_tree(
  tenant uuid, tree text, command_id bytea, not_before timestamptz, keys text[], below text, message text
) returns json
language plpgsql
as $$
declare
  earlier json;
  found_agents json;
  descendants json;
  follow_up json;
  queued_bytes bigint;
  quota json;
  ceiling json;
  is_done boolean;
begin
  is_done := set_config('skein.tenant', tenant::text, true) is not null;
  is_done := pg_advisory_xact_lock(hashtextextended(encode(command_id, 'hex'), 1)) is not null;
  is_done := pg_advisory_xact_lock(hashtextextended(tenant::text || '/' || tree, 2)) is not null;
  if not_before is not null then
    select json_build_object('requestSha256', encode(c.request_sha256, 'hex'), 'answer', c.answer) into earlier
    from command c where c.tenant_id = tenant and c.id = command_id and c.created_at > not_before
    order by c.created_at desc limit 1;
  end if;
  select json_object_agg(a.key, a.state) into found_agents from agent a where a.tenant_id = tenant and a.key = any(keys);
  -- By servers of the release before.
  if below is not null then
    select json_agg(a.state) into descendants from agent a
    where a.tenant_id = tenant and a.key > below || '/' and a.key < below || '0';
  end if;
  if message <> '' then
    select json_build_object('state', f.state, 'position', f.position::text) into follow_up
    from follow_up f
    where f.agent_id = (select a.id from agent a where a.tenant_id = tenant and a.key = keys[1])
      and f.follow_up_id = message;
  end if;
  if message is not null then
    select sum(q.amount) into queued_bytes from queued_bytes q where q.tenant_id = tenant;
  end if;
  select
    (select r.document from resource r where r.tenant_id = tenant and r.kind = 'quota' and r.name = 'default'),
    (select r.document from resource r where r.tenant_id = tenant and r.kind = 'ceiling' and r.name = 'default')
  into quota, ceiling;
  return json_build_object('command', earlier, 'agents', found_agents, 'below', descendants, 'followUp', follow_up,
    'queuedBytes', queued_bytes, 'quota', quota, 'ceiling', ceiling);
end
$$;

grant execute on function load_tree(uuid, text, bytea, timestamptz, text[], text, text) to skein_server;
