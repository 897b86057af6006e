-- Gives due calls to one server for a while. `busy` are tenants for which this server already does as much as it may.
create or replace function take_due_code_host_calls(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, id uuid, token bigint
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update code_host_call c set token = c.token + 1,
    -- If the holder dies, it is due when its time is over.
    due_at = now() + make_interval(secs => hold_ms / 1000.0)
  where c.ctid = any (array(
    select d.ctid from code_host_call d
    where d.ended_at is null and d.due_at <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.due_at limit amount for update skip locked))
  returning c.tenant_id, c.id, c.token;
end;

revoke all on function take_due_code_host_calls(integer, integer, uuid[]) from public;
grant execute on function take_due_code_host_calls(integer, integer, uuid[]) to skein_server;

-- Deletes calls made before a given time, whatever became of them. Returns how many it deleted.
create or replace function remove_expired_code_host_calls(created_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from code_host_call c where c.ctid = any (array(
      select o.ctid from code_host_call o
      where o.created_at < created_before order by o.created_at limit amount))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_code_host_calls(timestamptz, integer) from public;
grant execute on function remove_expired_code_host_calls(timestamptz, integer) to skein_server;

-- Gives pull requests that are to be looked at to one server for a while.
drop function if exists take_due_pull_requests(integer, integer, uuid[]);
create or replace function take_due_pull_requests(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, name text, token bigint
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update pull_request p set token = p.token + 1, held_until = now() + make_interval(secs => hold_ms / 1000.0),
    -- If the holder dies, it is due when its time is over.
    look_at = now() + make_interval(secs => hold_ms / 1000.0)
  where p.ctid = any (array(
    select d.ctid from pull_request d
    -- The second condition lets PostgreSQL use the index.
    where d.look_at <= now() and d.look_at < 'infinity' and d.held_until <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.look_at limit amount for update skip locked))
  returning p.tenant_id, p.name, p.token;
end;

revoke all on function take_due_pull_requests(integer, integer, uuid[]) from public;
grant execute on function take_due_pull_requests(integer, integer, uuid[]) to skein_server;

-- Deletes pull requests that were closed or merged before a given time, with their threads. Returns how many.
create or replace function remove_expired_pull_requests(ended_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from pull_request p where p.ctid = any (array(
      select o.ctid from pull_request o
      where o.state <> 'open' and o.updated_at < ended_before order by o.updated_at limit amount))
    returning p.tenant_id, p.name
  ), threads as (
    delete from review_thread t where t.ctid = any (array(
      select of_it.ctid from removed r cross join lateral (
        select o.ctid from review_thread o
        where o.tenant_id = r.tenant_id and o.pull_request = r.name offset 0
      ) as of_it))
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_pull_requests(timestamptz, integer) from public;
grant execute on function remove_expired_pull_requests(timestamptz, integer) to skein_server;

-- Deletes records of webhooks that came before a given time. Returns how many it deleted.
create or replace function remove_expired_host_deliveries(received_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from code_host_delivery d where d.ctid = any (array(
      select o.ctid from code_host_delivery o
      where o.received_at < received_before order by o.received_at limit amount))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_host_deliveries(timestamptz, integer) from public;
grant execute on function remove_expired_host_deliveries(timestamptz, integer) to skein_server;

-- Gives issues that are to be looked at to one server for a while.
create or replace function take_due_host_issues(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, workspace text, code_host text, owner text, repository text, number integer, token bigint
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update host_issue i set token = i.token + 1, held_until = now() + make_interval(secs => hold_ms / 1000.0),
    -- If the holder dies, it is due when its time is over.
    look_at = now() + make_interval(secs => hold_ms / 1000.0)
  where i.ctid = any (array(
    select d.ctid from host_issue d
    -- The second condition lets PostgreSQL use the index.
    where d.look_at <= now() and d.look_at < 'infinity' and d.held_until <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.look_at limit amount for update skip locked))
  returning i.tenant_id, i.workspace, i.code_host, i.owner, i.repository, i.number, i.token;
end;

revoke all on function take_due_host_issues(integer, integer, uuid[]) from public;
grant execute on function take_due_host_issues(integer, integer, uuid[]) to skein_server;

-- Gives repositories whose issues are to be listed to one server for a while.
create or replace function take_due_host_watches(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, workspace text, code_host text, owner text, repository text, token bigint
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update host_watch w set token = w.token + 1, held_until = now() + make_interval(secs => hold_ms / 1000.0),
    look_at = now() + make_interval(secs => hold_ms / 1000.0)
  where w.ctid = any (array(
    select d.ctid from host_watch d
    where d.look_at <= now() and d.held_until <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.look_at limit amount for update skip locked))
  returning w.tenant_id, w.workspace, w.code_host, w.owner, w.repository, w.token;
end;

revoke all on function take_due_host_watches(integer, integer, uuid[]) from public;
grant execute on function take_due_host_watches(integer, integer, uuid[]) to skein_server;

-- Deletes issues that nothing has happened to since a given time. Returns how many it deleted.
create or replace function remove_expired_host_issues(updated_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from host_issue i where i.ctid = any (array(
      select o.ctid from host_issue o
      where o.updated_at < updated_before order by o.updated_at limit amount))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_host_issues(timestamptz, integer) from public;
grant execute on function remove_expired_host_issues(timestamptz, integer) to skein_server;

-- Deletes starts before a given time, which no limit counts any more. Returns how many it deleted.
create or replace function remove_expired_host_starts(started_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from host_start s where s.ctid = any (array(
      select o.ctid from host_start o
      where o.started_at < started_before order by o.started_at limit amount))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_host_starts(timestamptz, integer) from public;
grant execute on function remove_expired_host_starts(timestamptz, integer) to skein_server;
