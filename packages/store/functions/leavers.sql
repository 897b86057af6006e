-- Assigns people who left and of whom something is still to be ended, each to one server for a while.
create or replace function take_due_leavers(amount integer, hold_ms integer, busy uuid[], at timestamptz)
returns table (tenant_id uuid, provider text, org text, id uuid, token bigint)
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with taken as (
    update leaver l set due_at = at + make_interval(secs => hold_ms / 1000.0), token = l.token + 1
    where l.ctid = any (array(
      select d.ctid from leaver d
      where d.due_at <= at and d.due_at < 'infinity' and d.tenant_id <> all (busy)
        and d.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
      order by d.due_at limit amount for update skip locked))
    returning l.tenant_id, l.id, l.token
  )
  select t.tenant_id, o.provider, o.org, t.id, t.token from taken t join tenant o on o.id = t.tenant_id;
$$;

revoke all on function take_due_leavers(integer, integer, uuid[], timestamptz) from public;
grant execute on function take_due_leavers(integer, integer, uuid[], timestamptz) to skein_server;

-- Deletes what is known of people who left before a given time, and users and groups of directories that were deleted.
-- Returns how many rows it deleted.
create or replace function remove_expired_leavers(ended_before timestamptz, amount integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  gone record;
  removed bigint;
  total bigint;
begin
  delete from leaver l where l.ctid = any (array(
    select o.ctid from leaver o where o.ended_at < ended_before limit amount));
  get diagnostics total = row_count;
  for gone in
    -- The rest comes with the next call.
    (select l.tenant_id, l.list as name from directory_list l where l.is_over limit 100)
    union all
    -- Deleted by an older server.
    (select r.tenant_id, r.name from resource r where r.kind = 'directory' and r.document is null
       and not exists (select from directory_list l where l.tenant_id = r.tenant_id and l.directory = r.name)
     limit 100)
  loop
    -- Group by group: merged, all groups and members of the tenant would be read.
    delete from directory_member m where m.ctid = any (array(
      select o.ctid from (
        select g.tenant_id, g.id from directory_group g
        where g.tenant_id = gone.tenant_id and g.directory = gone.name offset 0
      ) as g cross join lateral (
        select m.ctid from directory_member m where m.tenant_id = g.tenant_id and m.group_id = g.id
        order by m.group_id, m.user_id offset 0
      ) as o limit amount));
    get diagnostics removed = row_count;
    total := total + removed;
    exit when total >= amount;
    delete from directory_group g where g.ctid = any (array(
      select o.ctid from directory_group o where o.tenant_id = gone.tenant_id and o.directory = gone.name limit amount));
    get diagnostics removed = row_count;
    total := total + removed;
    delete from directory_user u where u.ctid = any (array(
      select o.ctid from directory_user o where o.tenant_id = gone.tenant_id and o.directory = gone.name limit amount));
    get diagnostics removed = row_count;
    total := total + removed;
    exit when total >= amount;
    delete from directory_list l where l.tenant_id = gone.tenant_id and l.list = gone.name and l.is_over;
    get diagnostics removed = row_count;
    total := total + removed;
  end loop;
  return total;
end
$$;

revoke all on function remove_expired_leavers(timestamptz, integer) from public;
grant execute on function remove_expired_leavers(timestamptz, integer) to skein_server;
