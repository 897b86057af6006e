-- Counts the work of all tenants, for metrics: the named pools separately, the others together as ''. Visits each tenant's
-- pools one by one in the index, however many runs wait in them, and counts at most so many of each: a runaway queue must
-- not make each count slower. The rest of what it reads is as much as there are runs in progress and runners.
create or replace function count_pool_totals(named text[], online_ms integer, most integer) returns jsonb
language sql stable
as $$
  with recursive queue as (
    (select q.tenant_id, q.pool from run q where not q.is_leased order by q.tenant_id, q.pool limit 1)
    union all
    select n.tenant_id, n.pool from queue k, lateral (
      select q.tenant_id, q.pool from run q
      where not q.is_leased and (q.tenant_id, q.pool) > (k.tenant_id, k.pool)
      order by q.tenant_id, q.pool limit 1) as n
  ), work as (
    select w.pool, c.queued, c.queued_since, 0 as running, 0 as runners
    from (select k.tenant_id, k.pool from queue k
      -- Those wait on purpose.
      where k.tenant_id <> all (array(select s.id from tenant s where s.suspended_at is not null))
      limit 10000) as w, lateral (
      select count(*) as queued, min(d.available_at) as queued_since from (
        select q.available_at from run q
        where q.tenant_id = w.tenant_id and q.pool = w.pool and not q.is_leased and q.available_at <= now()
        order by q.available_at limit most) as d) as c
    union all
    select l.pool, 0, null, count(*), 0 from run l where l.is_leased group by l.pool
    union all
    select p.name, 0, null, 0, count(*) from runner r, unnest(r.pools) as p(name)
    where r.seen_at > now() - make_interval(secs => online_ms / 1000.0) group by p.name
    union all
    select n.name, 0, null, 0, 0 from unnest(named || array['']) as n(name)
  )
  select jsonb_agg(to_jsonb(t)) from (
    select case when w.pool = any (named) then w.pool else '' end as pool, sum(w.queued) as queued,
      min(w.queued_since) as queued_since, sum(w.running) as running, sum(w.runners) as runners
    from work w group by 1) as t;
$$;

revoke all on function count_pool_totals(text[], integer, integer) from public;

-- Counted by one server at a time, at most once per so many milliseconds. Meanwhile, and to all others, it gives the last
-- totals. A server that names other pools counts for itself.
create or replace function read_pool_totals(named text[], fresh_ms integer, online_ms integer, most integer)
returns table (pool text, queued integer, oldest_seconds double precision, running integer, runners integer)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  known pool_totals%rowtype;
  is_same boolean;
begin
  select * into known from pool_totals;
  is_same := known.named = read_pool_totals.named;
  if not is_same or known.counted_at < clock_timestamp() - make_interval(secs => fresh_ms / 1000.0) then
    perform from pool_totals t where t.counted_at = known.counted_at for update skip locked;
    if found then
      update pool_totals t set counted_at = clock_timestamp(), named = read_pool_totals.named,
        totals = count_pool_totals(read_pool_totals.named, online_ms, most)
      returning * into known;
    elsif not is_same then
      known.totals := count_pool_totals(read_pool_totals.named, online_ms, most);
    end if;
  end if;
  return query select t.pool, t.queued,
      coalesce(greatest(0, extract(epoch from clock_timestamp() - t.queued_since)), 0)::double precision,
      t.running, t.runners
    from jsonb_to_recordset(known.totals)
      as t(pool text, queued integer, queued_since timestamptz, running integer, runners integer);
end
$$;

revoke all on function read_pool_totals(text[], integer, integer, integer) from public;
grant execute on function read_pool_totals(text[], integer, integer, integer) to skein_server;
