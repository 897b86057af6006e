-- Deletes whole trees whose agents all ended before a given time and of which runners hold nothing any more, oldest
-- first. The service calls it again and again until it returns 0, so each call is short: a few trees, and a limited
-- number of rows of timelines, segments and patches. A tree that must stay is not looked at again for a day. Returns how many trees
-- it looked at.
create or replace function remove_expired_trees(ended_before timestamptz, max_trees integer, max_events integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  tree record;
  members uuid[];
  looked_at integer := 0;
  removed bigint;
  events_left bigint := max_events;
begin
  for tree in
    select l.agent_id, a.tenant_id, a.key from leftover l join agent a on a.id = l.agent_id
    where l.is_removed and l.is_root and l.ended_at <= ended_before and l.claimed_until < now()
    order by l.ended_at limit max_trees for update of l skip locked
  loop
    looked_at := looked_at + 1;
    -- The lock of load_tree. If a command holds it, the tree is not about to be forgotten.
    if not pg_try_advisory_xact_lock(hashtextextended(tree.tenant_id::text || '/' || tree.key, 2)) then
      update leftover l set claimed_until = now() + interval '1 day' where l.agent_id = tree.agent_id;
      continue;
    end if;
    select array_agg(a.id) into members from agent a
    where a.tenant_id = tree.tenant_id and (a.key = tree.key or (a.key > tree.key || '/' and a.key < tree.key || '0'));
    if exists (
      select from agent a left join leftover l on l.agent_id = a.id
      where a.id = any(members) and not (a.is_terminal and coalesce(l.is_removed and l.ended_at <= ended_before, false))
    ) then
      update leftover l set claimed_until = now() + interval '1 day' where l.agent_id = tree.agent_id;
      continue;
    end if;
    delete from timeline t using (
      select e.agent_id, e.sequence, e.created_at from timeline e where e.agent_id = any(members) limit events_left
    ) as old
    where t.agent_id = old.agent_id and t.sequence = old.sequence and t.created_at = old.created_at;
    get diagnostics removed = row_count;
    events_left := events_left - removed;
    -- The next call continues with this tree. Fewer than wanted does not mean that none are left: some may have been moved
    -- to a segment meanwhile, and would be found again by nobody.
    exit when events_left = 0 or exists (select from timeline e where e.agent_id = any(members));
    events_left := events_left - remove_segments(members, events_left::integer);
    exit when events_left = 0 or exists (select from timeline_segment s where s.agent_id = any(members));
    delete from diff_patch p where p.ctid = any (array(
      select o.ctid from diff_patch o where o.agent_id = any(members) limit events_left));
    get diagnostics removed = row_count;
    events_left := events_left - removed;
    exit when events_left = 0;
    delete from follow_up f where f.agent_id = any(members);
    delete from diff d where d.agent_id = any(members);
    delete from leftover l where l.agent_id = any(members);
    delete from agent a where a.id = any(members);
  end loop;
  return looked_at;
end
$$;

revoke all on function remove_expired_trees(timestamptz, integer, integer) from public;
grant execute on function remove_expired_trees(timestamptz, integer, integer) to skein_server;

-- Deletes versions of resources that were replaced before a given time, and all versions of resources deleted before it.
-- Generations are numbered without gaps. Returns how many it deleted.
create or replace function remove_expired_versions(replaced_before timestamptz, amount integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  old record;
  removed bigint := 0;
begin
  -- By key, one at a time: a join or a hashed subquery would be planned while the table is small.
  for old in
    select o.tenant_id, o.kind, o.name, o.generation from resource_version o
    where o.updated_at <= replaced_before and (
      (
        select n.updated_at <= replaced_before from resource_version n
        where n.tenant_id = o.tenant_id and n.kind = o.kind and n.name = o.name and n.generation = o.generation + 1
      ) or (
        select r.document is null and r.updated_at <= replaced_before from resource r
        where r.tenant_id = o.tenant_id and r.kind = o.kind and r.name = o.name
      )
    )
    limit amount
  loop
    delete from resource_version v
    where v.tenant_id = old.tenant_id and v.kind = old.kind and v.name = old.name and v.generation = old.generation;
    removed := removed + 1;
  end loop;
  return removed;
end
$$;

revoke all on function remove_expired_versions(timestamptz, integer) from public;
grant execute on function remove_expired_versions(timestamptz, integer) to skein_server;

-- Deletes hourly totals older than a given time, and what is left of months that ended before it. Returns how many rows.
create or replace function remove_expired_spend(before_hour timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from spend s where s.ctid = any (array(
      select o.ctid from spend o where o.hour < before_hour limit amount))
    returning 1
  ), used as (
    delete from usage u where u.ctid = any (array(
      select o.ctid from usage o where o.hour < before_hour limit amount))
    returning 1
  ), labelled as (
    delete from usage_by_label u where u.ctid = any (array(
      select o.ctid from usage_by_label o where o.hour < before_hour limit amount))
    returning 1
  ), months as (
    -- Two months later than their beginning, because the current one must stay.
    delete from budget_spend s where s.ctid = any (array(
      select o.ctid from budget_spend o
      where o.month < least(before_hour, now()) - interval '62 days' limit amount))
    returning 1
  )
  select (select count(*) from removed) + (select count(*) from used) + (select count(*) from labelled)
    + (select count(*) from months);
end;

revoke all on function remove_expired_spend(timestamptz, integer) from public;
grant execute on function remove_expired_spend(timestamptz, integer) to skein_server;

-- Deletes signing keys that were replaced before a given time. Returns how many it deleted.
create or replace function remove_replaced_keys(replaced_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with removed as (
    delete from sealed_value s where s.ctid = any (array(
      select o.ctid from sealed_value n, lateral (
        select p.ctid from sealed_value p
        where p.tenant_id = n.tenant_id and p.kind = n.kind and p.name = n.name and p.version < n.version
        limit amount) as o
      where n.version > 1 and n.kind in ('integration', 'trigger') and n.created_at <= replaced_before
      limit amount))
    returning 1
  )
  select count(*) from removed;
$$;

revoke all on function remove_replaced_keys(timestamptz, integer) from public;
grant execute on function remove_replaced_keys(timestamptz, integer) to skein_server;
