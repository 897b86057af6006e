-- Runners poll all the time, so most calls only read: a row is written if something is new or it is getting old. A
-- token can have a thousand names, so that a misused one cannot fill the table. Names no longer listed make room for new
-- ones, because short-lived hosts have a new name each time.
create or replace function note_runner(
  tenant uuid, by_token text, runner_name text, serves text[], serves_all boolean, offered jsonb
) returns void
language plpgsql
as $$
begin
  perform set_config('skein.tenant', tenant::text, true);
  if exists (
    select from runner r
    where r.tenant_id = tenant and r.token = by_token and r.name = runner_name and r.pools = serves
      and r.all_tenants = serves_all and r.offers = offered and r.seen_at > now() - interval '20 seconds'
  ) then
    return;
  end if;
  update runner r set pools = serves, all_tenants = serves_all, offers = offered, seen_at = now()
  where r.tenant_id = tenant and r.token = by_token and r.name = runner_name;
  if found then
    return;
  end if;
  delete from runner r
  where r.tenant_id = tenant and r.token = by_token and r.seen_at < now() - interval '10 minutes';
  if (select count(*) from runner r where r.tenant_id = tenant and r.token = by_token) >= 1000 then
    return;
  end if;
  insert into runner (tenant_id, token, name, pools, all_tenants, offers, seen_at)
  values (tenant, by_token, runner_name, serves, serves_all, offered, now())
  on conflict (tenant_id, token, name) do update set pools = excluded.pools, all_tenants = excluded.all_tenants,
    offers = excluded.offers, seen_at = excluded.seen_at;
end
$$;

grant execute on function note_runner(uuid, text, text, text[], boolean, jsonb) to skein_server;

-- The runners that can serve a tenant: its own, and those that serve all tenants. Uses the database's clock, as seen_at
-- does.
create or replace function list_runners(tenant uuid, within_ms integer, online_ms integer) returns table (
  name text, pools text[], all_tenants boolean, offers jsonb, seen_at timestamptz, is_online boolean
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select r.name, r.pools, r.all_tenants, r.offers, r.seen_at,
    r.seen_at > now() - make_interval(secs => online_ms / 1000.0)
  from runner r
  where (r.tenant_id = tenant or r.all_tenants) and r.seen_at > now() - make_interval(secs => within_ms / 1000.0)
  order by r.name, r.tenant_id, r.token
  limit 1000;
end;

revoke all on function list_runners(uuid, integer, integer) from public;
grant execute on function list_runners(uuid, integer, integer) to skein_server;

create or replace function forget_silent_runners() returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  delete from runner r where r.seen_at < now() - interval '1 day';
$$;

revoke all on function forget_silent_runners() from public;
grant execute on function forget_silent_runners() to skein_server;

-- The pools of a tenant that currently have a runner. Read whenever an agent waits for one, so the offers are left out.
create or replace function list_online_pools(tenant uuid, online_ms integer) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct p.name
  from runner r, unnest(r.pools) as p(name)
  where (r.tenant_id = tenant or r.all_tenants) and r.seen_at > now() - make_interval(secs => online_ms / 1000.0);
end;

revoke all on function list_online_pools(uuid, integer) from public;
grant execute on function list_online_pools(uuid, integer) to skein_server;

-- A tenant's work per pool. Queued runs that are not due yet are waiting for a retry or for the end of a pause.
create or replace function list_pool_work(tenant uuid) returns table (
  name text, queued integer, queued_since timestamptz, delayed integer, running integer
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select w.pool, sum(w.queued)::integer, min(w.queued_since), sum(w.delayed)::integer, sum(w.running)::integer
  from (
    select q.pool, count(*) filter (where q.available_at <= now()) as queued,
      min(q.available_at) filter (where q.available_at <= now()) as queued_since,
      count(*) filter (where q.available_at > now()) as delayed, 0 as running
    from run q where q.tenant_id = tenant and not q.is_leased group by q.pool
    union all
    select l.pool, 0, null, 0, count(*) from run l where l.tenant_id = tenant and l.is_leased group by l.pool
  ) as w
  group by w.pool;
end;

revoke all on function list_pool_work(uuid) from public;
grant execute on function list_pool_work(uuid) to skein_server;
