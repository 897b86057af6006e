-- Finds a tenant by name for an operator; not one that is being deleted or has left for another cell. The server calls it only after checking the role.
create or replace function find_tenant(wanted_provider text, wanted_org text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.id from tenant t where t.provider = wanted_provider and t.org = wanted_org and t.closed_at is null
    and coalesce(t.move_step in ('copying', 'draining'), true);
end;

revoke all on function find_tenant(text, text) from public;
grant execute on function find_tenant(text, text) to skein_server;

-- For senders without a key, such as code hosts. Also one that is moving: its rows are protected while they must not
-- change, so the sender is told to try again, and not that nobody knows it.
create or replace function find_addressed_tenant(wanted_provider text, wanted_org text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.id from tenant t where t.provider = wanted_provider and t.org = wanted_org and t.closed_at is null;
end;

revoke all on function find_addressed_tenant(text, text) from public;
grant execute on function find_addressed_tenant(text, text) to skein_server;

-- The rest is for operators (docs/adr/0066). Each function is about one tenant, named by its id or its whole name, except
-- the list, which says no more than names and times.

-- For servers of an older build; newer ones ask tenant_hold. Whether its keys are refused. A tenant that is being deleted is held in the same way, but its runners still need theirs.
create or replace function is_suspended(wanted uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (select from tenant t where t.id = wanted and t.suspended_at is not null and t.closed_at is null);
end;

revoke all on function is_suspended(uuid) from public;
grant execute on function is_suspended(uuid) to skein_server;

-- Whether its runs are held, or were until a moment ago.
create or replace function was_held(wanted uuid, within_ms integer) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (select from tenant t where t.id = wanted
    and (t.suspended_at is not null or t.resumed_at > now() - make_interval(secs => within_ms / 1000.0)));
end;

revoke all on function was_held(uuid, integer) from public;
grant execute on function was_held(uuid, integer) to skein_server;

-- Adds a tenant, unless there is one of that name. Returns the one of that name.
create or replace function create_tenant(new_id uuid, new_provider text, new_org text)
returns table (id uuid, is_new boolean, is_closed boolean)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  is_added boolean;
begin
  insert into tenant (id, provider, org) values (new_id, new_provider, new_org) on conflict (provider, org) do nothing;
  is_added := found;
  return query select t.id, is_added, t.closed_at is not null from tenant t
    where t.provider = new_provider and t.org = new_org;
end
$$;

revoke all on function create_tenant(uuid, text, text) from public;
grant execute on function create_tenant(uuid, text, text) to skein_server;

create or replace function describe_tenant(wanted uuid) returns table (
  id uuid, provider text, org text, created_at timestamptz, suspended_at timestamptz, closed_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.id, t.provider, t.org, t.created_at, t.suspended_at, t.closed_at from tenant t where t.id = wanted;
end;

revoke all on function describe_tenant(uuid) from public;
grant execute on function describe_tenant(uuid) to skein_server;

-- By id, which is the order in which they were created. With a name: the tenants of that name, of different providers.
create or replace function list_tenants(wanted_org text, after_id uuid, amount integer) returns table (
  id uuid, provider text, org text, created_at timestamptz, suspended_at timestamptz, closed_at timestamptz
)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
begin
  if wanted_org is null then
    return query select t.id, t.provider, t.org, t.created_at, t.suspended_at, t.closed_at from tenant t
      where t.id > after_id order by t.id limit amount;
  else
    return query select t.id, t.provider, t.org, t.created_at, t.suspended_at, t.closed_at from tenant t
      -- Named, so that the index of names serves.
      where t.provider in (
          'PROVIDER_CODEHOST_OAUTH', 'PROVIDER_CODEHOST_APP', 'PROVIDER_IDP_OIDC', 'PROVIDER_SERVICE_PROFILE')
        and t.org = wanted_org and t.id > after_id
      order by t.id limit amount;
  end if;
end
$$;

revoke all on function list_tenants(text, uuid, integer) from public;
grant execute on function list_tenants(text, uuid, integer) to skein_server;

-- Suspends a tenant, or ends that. Does nothing to one that is being deleted. Returns whether it did anything.
create or replace function suspend_tenant(wanted uuid, is_to_be boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform refuse_moving(wanted, true);
  update tenant t set suspended_at = case when is_to_be then now() end,
    resumed_at = case when is_to_be then t.resumed_at else now() end
  where t.id = wanted and t.closed_at is null and (t.suspended_at is not null) <> is_to_be;
  return found;
end
$$;

revoke all on function suspend_tenant(uuid, boolean) from public;
grant execute on function suspend_tenant(uuid, boolean) to skein_server;

-- The first step of deleting a tenant: from now on, none of its keys work, except those of its runners, which still have
-- to remove what they hold, and nothing of it is handed out, as of a suspended one. `by_servers` says whether servers take
-- the other steps, and not only whoever calls this. `is_left` says that the caller has seen another cell serve it: one that
-- has moved, but is not activated there yet, is nowhere else.
create or replace function close_tenant(wanted uuid, abandons boolean, by_servers boolean, is_left boolean) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform refuse_moving(wanted, not is_left);
  update tenant t set closed_at = coalesce(t.closed_at, now()), suspended_at = coalesce(t.suspended_at, now()),
    delete_asked_at = now(), abandons_leftovers = abandons, delete_at = case when by_servers then now() else t.delete_at end
  where t.id = wanted;
end
$$;

revoke all on function close_tenant(uuid, boolean, boolean, boolean) from public;
grant execute on function close_tenant(uuid, boolean, boolean, boolean) to skein_server;

-- For servers of an older build.
create or replace function close_tenant(wanted uuid, abandons boolean, by_servers boolean) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  select close_tenant(wanted, abandons, by_servers, false);
$$;

revoke all on function close_tenant(uuid, boolean, boolean) from public;
grant execute on function close_tenant(uuid, boolean, boolean) to skein_server;

-- Gives a tenant that servers are to delete to one of them for a while.
drop function if exists take_closed_tenant(integer);
create or replace function take_closed_tenant(hold_ms integer) returns table (
  id uuid, provider text, org text, closed_at timestamptz, abandons_leftovers boolean, emptied_at timestamptz,
  has_moved boolean
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update tenant t set delete_at = now() + make_interval(secs => hold_ms / 1000.0)
  where t.ctid = any (array(
    select d.ctid from tenant d where d.delete_at <= now() order by d.delete_at limit 1 for update skip locked))
  returning t.id, t.provider, t.org, t.closed_at, t.abandons_leftovers, t.emptied_at, t.move_step is not null;
end;

revoke all on function take_closed_tenant(integer) from public;
grant execute on function take_closed_tenant(integer) to skein_server;

-- Until when servers leave its deletion alone.
create or replace function delay_tenant_deletion(wanted uuid, delay_ms integer) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update tenant t set delete_at = now() + make_interval(secs => delay_ms / 1000.0)
  where t.id = wanted and t.delete_at is not null;
end;

revoke all on function delay_tenant_deletion(uuid, integer) from public;
grant execute on function delay_tenant_deletion(uuid, integer) to skein_server;

-- Deletes some rows of a closed tenant from one table or partition. Returns how many.
create or replace function delete_tenant_rows(wanted uuid, relation text, amount integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  removed integer;
begin
  if not exists (select from tenant t where t.id = wanted and t.closed_at is not null) then
    return 0;
  end if;
  if not exists (
    select from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = relation
  ) then
    raise exception '% has no rows of tenants', relation;
  end if;
  execute format(
    'delete from public.%1$I where ctid = any (array(select d.ctid from public.%1$I d where d.tenant_id = $1 limit $2))',
    relation) using wanted, amount;
  get diagnostics removed = row_count;
  return removed;
end
$$;

revoke all on function delete_tenant_rows(uuid, text, integer) from public;
grant execute on function delete_tenant_rows(uuid, text, integer) to skein_server;

-- Deletes some agents of a closed tenant, with what is found only by the agent. A call deletes a limited number of rows;
-- agents with more are there for the next one. Returns how many agents it looked at.
create or replace function delete_tenant_agents(wanted uuid, max_agents integer, max_rows integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  members uuid[];
begin
  if not exists (select from tenant t where t.id = wanted and t.closed_at is not null) then
    return 0;
  end if;
  members := array(select a.id from agent a where a.tenant_id = wanted limit max_agents);
  delete from timeline t using (
    select e.agent_id, e.sequence, e.created_at from timeline e where e.agent_id = any (members) limit max_rows
  ) as old
  where t.agent_id = old.agent_id and t.sequence = old.sequence and t.created_at = old.created_at;
  -- Fewer than wanted does not mean that none are left: another server may have deleted some meanwhile. Without its agent,
  -- nobody would find the rest. The next call continues.
  if exists (select from timeline e where e.agent_id = any (members)) then
    return cardinality(members);
  end if;
  perform remove_segments(members, max_rows);
  delete from follow_up f where f.ctid = any (array(
    select o.ctid from follow_up o where o.agent_id = any (members) limit max_rows));
  if exists (select from timeline_segment s where s.agent_id = any (members))
    or exists (select from follow_up f where f.agent_id = any (members)) then
    return cardinality(members);
  end if;
  delete from timer t where t.agent_id = any (members);
  delete from lease l where l.agent_id = any (members);
  delete from run r where r.agent_id = any (members);
  delete from leftover l where l.agent_id = any (members);
  delete from agent a where a.id = any (members);
  return cardinality(members);
end
$$;

revoke all on function delete_tenant_agents(uuid, integer, integer) from public;
grant execute on function delete_tenant_agents(uuid, integer, integer) to skein_server;

-- Deletes some events of a closed tenant itself, which are under its own id (docs/adr/0063). Returns how many.
create or replace function delete_tenant_events(wanted uuid, max_rows integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  removed integer;
begin
  if not exists (select from tenant t where t.id = wanted and t.closed_at is not null) then
    return 0;
  end if;
  delete from timeline t using (
    select e.sequence, e.created_at from timeline e where e.agent_id = wanted limit max_rows
  ) as old
  where t.agent_id = wanted and t.sequence = old.sequence and t.created_at = old.created_at;
  get diagnostics removed = row_count;
  if removed = 0 then
    removed := remove_segments(array[wanted], max_rows);
  end if;
  return removed;
end
$$;

revoke all on function delete_tenant_events(uuid, integer) from public;
grant execute on function delete_tenant_events(uuid, integer) to skein_server;

-- Notes that no table has a row of a closed tenant any more, or that one has.
create or replace function note_emptied_tenant(wanted uuid, is_empty boolean) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update tenant t set emptied_at = case when is_empty then coalesce(t.emptied_at, now()) end
  where t.id = wanted and t.closed_at is not null;
end;

revoke all on function note_emptied_tenant(uuid, boolean) from public;
grant execute on function note_emptied_tenant(uuid, boolean) to skein_server;

-- The last step. Its name is free from then on. Fails while a table that refers to it has rows.
create or replace function delete_tenant(wanted uuid) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  delete from tenant t where t.id = wanted and t.closed_at is not null;
end;

revoke all on function delete_tenant(uuid) from public;
grant execute on function delete_tenant(uuid) to skein_server;
