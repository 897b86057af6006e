-- Tenants with integrations whose outbox nobody has looked at for a while, in case a wake-up was lost. Looks at the
-- oldest few, so that its cost does not grow with their number.
create or replace function take_unread_outboxes(amount integer, unseen_ms integer) returns table (tenant_id uuid)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update outbox_reader r set looked_at = now()
  where r.ctid = any (array(
    select o.ctid from outbox_reader o
    where o.looked_at < now() - make_interval(secs => unseen_ms / 1000.0)
      and o.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
    order by o.looked_at limit amount for update skip locked))
  returning r.tenant_id;
end;

revoke all on function take_unread_outboxes(integer, integer) from public;
grant execute on function take_unread_outboxes(integer, integer) to skein_server;

-- Gives due endpoints to one server for a while. `busy` are tenants for which this server already sends as much as it may.
drop function if exists take_due_endpoints(integer, integer, uuid[]);
create or replace function take_due_endpoints(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, integration text, token bigint, failures integer, failing_since timestamptz, test_id uuid,
  is_grouped boolean, resumed_at timestamptz
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update endpoint e set token = e.token + 1, held_until = now() + make_interval(secs => hold_ms / 1000.0),
    -- If the holder dies, the endpoint is due when its time is over.
    due_at = now() + make_interval(secs => hold_ms / 1000.0)
  where e.ctid = any (array(
    select d.ctid from endpoint d
    -- The second condition lets PostgreSQL use the index, which leaves out endpoints with nothing to send.
    where d.due_at <= now() and d.due_at < 'infinity' and d.held_until <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.due_at limit amount for update skip locked))
  returning e.tenant_id, e.integration, e.token, e.failures, e.failing_since, e.test_id, e.is_grouped,
    (select t.resumed_at from tenant t where t.id = e.tenant_id);
end;

revoke all on function take_due_endpoints(integer, integer, uuid[]) from public;
grant execute on function take_due_endpoints(integer, integer, uuid[]) to skein_server;

-- Ends the hold, and lets the endpoint be due when its next lane is, but not before `not_before`. Locks the endpoint
-- first: what adds lanes does the same, so none can be missed. Does nothing if another server holds it by now.
create or replace function release_endpoint(wanted text, held_token bigint, not_before timestamptz) returns void
language plpgsql
as $$
declare
  next_due timestamptz;
begin
  perform from endpoint e
  where e.tenant_id = skein_current_tenant() and e.integration = wanted and e.token = held_token for update;
  if not found then
    return;
  end if;
  -- A test that was asked for meanwhile is due at once.
  update endpoint e set held_until = '-infinity', due_at = now()
  where e.tenant_id = skein_current_tenant() and e.integration = wanted and e.test_id is not null;
  if found then
    return;
  end if;
  select l.due_at into next_due from lane l
  where l.tenant_id = skein_current_tenant() and l.integration = wanted order by l.due_at limit 1;
  update endpoint e set held_until = '-infinity',
    -- `greatest` ignores null, which here means that nothing is to be sent.
    due_at = case when next_due is null then 'infinity' else greatest(next_due, not_before) end
  where e.tenant_id = skein_current_tenant() and e.integration = wanted;
end
$$;

grant execute on function release_endpoint(text, bigint, timestamptz) to skein_server;
