-- Assigns due schedules, each to one server for a while. Tenants take turns: of each, a few schedules, earliest first.
-- A tenant with more that are due goes to the end of the line, so nobody waits for all of another's. Uses the calling
-- server's clock, as the rules do, and `ctid`, which avoids a join that would be planned while the table is small.
-- Each statement has its own snapshot: it sees all that was committed before the lock on the turn was taken.
create or replace function take_due_schedules(
  amount integer, per_tenant integer, busy uuid[], at timestamptz, hold_ms integer
) returns table (tenant_id uuid, provider text, org text, name text, token bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  turn uuid;
  of_tenant tenant;
  room integer := amount;
  taken integer;
  earliest timestamptz;
begin
  for turn in
    select t.tenant_id from schedule_turn t
    where t.due_at <= at and t.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by t.due_at limit amount for update skip locked
  loop
    select o.* into of_tenant from tenant o where o.id = turn;
    if of_tenant.closed_at is not null then
      update schedule_turn t set due_at = 'infinity' where t.tenant_id = turn;
      continue;
    end if;
    return query
      update schedule_timer s set due_at = at + make_interval(secs => hold_ms / 1000.0), token = s.token + 1
      where s.ctid = any (array(
        select d.ctid from schedule_timer d where d.tenant_id = turn and d.due_at <= at
        order by d.due_at limit least(per_tenant, room) for update skip locked))
      returning s.tenant_id, of_tenant.provider, of_tenant.org, s.name, s.token;
    get diagnostics taken = row_count;
    room := room - taken;
    select d.due_at into earliest from schedule_timer d where d.tenant_id = turn order by d.due_at limit 1;
    update schedule_turn t set due_at = greatest(coalesce(earliest, 'infinity'), at) where t.tenant_id = turn;
    exit when room <= 0;
  end loop;
end
$$;

revoke all on function take_due_schedules(integer, integer, uuid[], timestamptz, integer) from public;
grant execute on function take_due_schedules(integer, integer, uuid[], timestamptz, integer) to skein_server;

-- Deletes firings that ended and were recorded before a given time. Returns how many it deleted.
create or replace function remove_expired_firings(recorded_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from schedule_firing f where f.ctid = any (array(
      select o.ctid from schedule_firing o
      where o.created_at < recorded_before and o.outcome not in ('pending', 'waiting', 'starting')
      limit amount for update skip locked))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_firings(timestamptz, integer) from public;
grant execute on function remove_expired_firings(timestamptz, integer) to skein_server;
