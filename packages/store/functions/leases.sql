-- Renews the leases a runner still holds and returns them, except those of suspended tenants. Uses `any`, so that no plan scans all leases for a join.
create or replace function touch_leases(
  holder text, agent_ids uuid[], run_ids bigint[], attempts integer[], lease_ms integer
) returns table (agent_id uuid)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update lease l set expires_at = now() + make_interval(secs => lease_ms / 1000.0)
  from unnest(agent_ids, run_ids, attempts) as held(agent_id, run_id, attempt)
  where l.agent_id = any (agent_ids) and l.runner = holder
    and l.agent_id = held.agent_id and l.run_id = held.run_id and l.attempt = held.attempt
    and not exists (select from tenant s where s.id = l.tenant_id and s.suspended_at is not null)
  returning l.agent_id;
end;

revoke all on function touch_leases(text, uuid[], bigint[], integer[], integer) from public;
grant execute on function touch_leases(text, uuid[], bigint[], integer[], integer) to skein_server;

-- Expired leases. Each is extended a little, so that servers don't all take the same ones. Those of a tenant whose rows
-- must not change are left alone: a copy that arrives has the leases of the other cell's runs, as they were. Scans the
-- leases of all tenants, which are only as many as runs in progress: an index on the time would be written by every
-- heartbeat.
--
-- Periods in which no server reached the database don't count against leases (docs/adr/0028): holders could not renew
-- them, and get a full lease from now on. One server at a time checks the last contact and expires leases, so none expires
-- before that is decided. Gaps shorter than a third of a lease are not outages: that is how often heartbeats come.
-- Uses clock_timestamp, because now() may be older than a contact another server has just recorded.
create or replace function take_expired_leases(amount integer, lease_ms integer) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, run_id bigint, attempt integer
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  last_seen timestamptz;
  whole interval := make_interval(secs => lease_ms / 1000.0);
begin
  select c.seen_at into last_seen from service_contact c for update skip locked;
  if not found then
    return;
  end if;
  if clock_timestamp() - last_seen > greatest(whole / 3, interval '2 seconds') then
    update lease l set expires_at = clock_timestamp() + whole
    where l.expires_at > last_seen and l.expires_at < clock_timestamp() + whole and l.runner <> '';
  end if;
  update service_contact set seen_at = clock_timestamp();
  return query update lease l set expires_at = now() + interval '5 seconds', runner = ''
    from run r
    where r.agent_id = l.agent_id and l.agent_id = any (array(
      select e.agent_id from lease e where e.expires_at < now()
        and e.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
      limit amount for update skip locked))
    returning l.tenant_id, l.agent_id, r.agent_key, r.root_key, l.run_id, l.attempt;
end
$$;

revoke all on function take_expired_leases(integer, integer) from public;
grant execute on function take_expired_leases(integer, integer) to skein_server;
