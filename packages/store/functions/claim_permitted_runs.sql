-- A tenant's limits: its own ceiling, completed by the installation's.
create or replace function ceiling_of(tenant uuid, installation jsonb) returns jsonb
language sql stable
begin atomic
  select coalesce(
    (select installation || c.own || jsonb_build_object(
       'quota', coalesce(installation -> 'quota', '{}') || coalesce(c.own -> 'quota', '{}'),
       'machine', coalesce(installation -> 'machine', '{}') || coalesce(c.own -> 'machine', '{}'))
     from (select r.document::jsonb as own from resource r
           where r.tenant_id = tenant and r.kind = 'ceiling' and r.name = 'default' and r.document is not null) as c),
    installation);
end;

revoke all on function ceiling_of(uuid, jsonb) from public;

-- These two are the same as effectiveNetwork and effectiveSandbox in core; a test compares them.
create or replace function permitted_network(wanted text, ceiling jsonb) returns text
language sql immutable
begin atomic
  select case
    when not ceiling ? 'networks' or ceiling -> 'networks' ? w.network then w.network
    when w.network = 'open' and ceiling -> 'networks' ? 'gateway' then 'gateway'
    else 'none' end
  from (select coalesce(nullif(wanted, ''), 'gateway') as network) as w;
end;

revoke all on function permitted_network(text, jsonb) from public;

create or replace function permitted_sandbox(wanted text, ceiling jsonb) returns text
language sql immutable
begin atomic
  select case
    when wanted = 'process' and (not ceiling ? 'sandboxes' or ceiling -> 'sandboxes' ? 'process') then 'process'
    else 'bubblewrap' end;
end;

revoke all on function permitted_sandbox(text, jsonb) from public;

-- The tenant's longest-waiting run in one of these pools, locked for the caller, skipping those whose network the runner
-- refuses, as "sandbox/policy". The network comes from the pool and from the environment of the workspace, which an
-- agent's key starts with. Missing documents mean the default, as in the engine's description of a run.
create or replace function next_permitted_run(tenant uuid, pools text[], refused text[], ceiling jsonb) returns run
language plpgsql
as $$
declare
  found_run run%rowtype;
begin
  -- Most runners refuse nothing. Their claims should not pay for reading the documents.
  if refused = '{}' then
    select r.* into found_run from unnest(pools) as p(name), lateral (
      select q.* from run q
      where q.tenant_id = tenant and q.pool = p.name and not q.is_leased and q.available_at <= now()
      order by q.available_at limit 1 for update skip locked) as r
    order by r.available_at limit 1;
  else
    select r.* into found_run from unnest(pools) as p(name)
    left join resource d on d.tenant_id = tenant and d.kind = 'pool' and d.name = p.name, lateral (
      select q.* from run q
      left join resource w on w.tenant_id = tenant and w.kind = 'workspace' and w.name = split_part(q.agent_key, '/', 1)
      left join resource e on e.tenant_id = tenant and e.kind = 'environment'
        and e.name = coalesce(nullif(w.document ->> 'environment', ''), 'default')
      where q.tenant_id = tenant and q.pool = p.name and not q.is_leased and q.available_at <= now()
        and permitted_sandbox(d.document ->> 'sandbox', ceiling) || '/' ||
          permitted_network(e.document ->> 'network', ceiling) <> all (refused)
      order by q.available_at limit 1 for update of q skip locked) as r
    order by r.available_at limit 1;
  end if;
  return found_run;
end
$$;

revoke all on function next_permitted_run(uuid, text[], text[], jsonb) from public;

-- Whether a runner that refuses these limits, as "sandbox/field", can take runs of a pool. A tenant without its own
-- machine profile has the built-in one, which sets all limits. What a profile leaves unlimited, the ceiling limits.
create or replace function holds_permitted_limits(tenant uuid, pool_name text, refused text[], ceiling jsonb)
returns boolean
language sql stable
begin atomic
  select not exists (
    select from unnest(array['cpus', 'memoryMib', 'diskMib', 'processes']) as f(field)
    left join resource d on d.tenant_id = tenant and d.kind = 'pool' and d.name = pool_name
    left join resource v on v.tenant_id = tenant and v.kind = 'vm-profile'
      and v.name = coalesce(nullif(d.document ->> 'vmProfile', ''), 'default')
    where permitted_sandbox(d.document ->> 'sandbox', ceiling) || '/' || f.field = any (refused)
      and (v.document is null or coalesce((v.document ->> f.field)::numeric, 0) > 0
        or coalesce((ceiling -> 'machine' ->> f.field)::numeric, 0) > 0));
end;

revoke all on function holds_permitted_limits(uuid, text, text[], jsonb) from public;

-- Leases runs of one tenant within its limits, those of its ceiling and those of each pool. Whoever calls it holds the
-- tenant's turn, so that the limits are strict. Leased runs are counted only if the limits might be reached: that they
-- are at most so many is known from the claims since the last count (docs/adr/0053).
create or replace function take_turn(
  tenant uuid, pools text[], wanted integer, runner text, lease_ms integer,
  tenant_limit integer, pool_limit integer, refused text[], installation jsonb
) returns setof run
language plpgsql
as $$
declare
  turn tenant_turn%rowtype;
  ceiling jsonb := ceiling_of(tenant, installation);
  most integer;
  pools_most jsonb;
  open_pools text[];
  taken run%rowtype;
  given integer := 0;
begin
  select * into turn from tenant_turn t where t.tenant_id = tenant;
  most := least(
    coalesce((select (q.document ->> 'runsInFlight')::int from resource q
              where q.tenant_id = tenant and q.kind = 'quota' and q.name = 'default'), tenant_limit),
    (ceiling -> 'quota' ->> 'runsInFlight')::int);
  select jsonb_object_agg(p.name, coalesce(
      (select (d.document ->> 'maxRuns')::int from resource d
       where d.tenant_id = tenant and d.kind = 'pool' and d.name = p.name), pool_limit))
    into pools_most from unnest(pools) as p(name);
  if turn.leased_at_most is null or turn.leased_at_most + wanted > most or exists (
    select from unnest(pools) as p(name)
    where coalesce((turn.pools_leased_at_most ->> p.name)::int, 0) + wanted > (pools_most ->> p.name)::int
  ) then
    select coalesce(sum(c.leased), 0), coalesce(jsonb_object_agg(c.pool, c.leased), '{}')
      into turn.leased_at_most, turn.pools_leased_at_most
      from (select l.pool, count(*) as leased from run l where l.tenant_id = tenant and l.is_leased group by l.pool) as c;
  end if;
  select array_agg(p.name) into open_pools from unnest(pools) as p(name)
  where coalesce((turn.pools_leased_at_most ->> p.name)::int, 0) < (pools_most ->> p.name)::int
    and (refused = '{}' or holds_permitted_limits(tenant, p.name, refused, ceiling));
  while given < wanted and turn.leased_at_most < most loop
    taken := next_permitted_run(tenant, open_pools, refused, ceiling);
    exit when taken.agent_id is null;
    update run set is_leased = true where run.agent_id = taken.agent_id;
    insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
    values (taken.agent_id, tenant, taken.run_id, taken.attempt, take_turn.runner,
      now() + make_interval(secs => lease_ms / 1000.0))
    on conflict (agent_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
      runner = excluded.runner, expires_at = excluded.expires_at;
    given := given + 1;
    turn.leased_at_most := turn.leased_at_most + 1;
    turn.pools_leased_at_most := turn.pools_leased_at_most || jsonb_build_object(
      taken.pool, coalesce((turn.pools_leased_at_most ->> taken.pool)::int, 0) + 1);
    if (turn.pools_leased_at_most ->> taken.pool)::int >= (pools_most ->> taken.pool)::int then
      open_pools := array_remove(open_pools, taken.pool);
    end if;
    return next taken;
  end loop;
  if given > 0 then
    update tenant_turn t set last_served_at = clock_timestamp(), leased_at_most = turn.leased_at_most,
      pools_leased_at_most = turn.pools_leased_at_most
    where t.tenant_id = tenant;
  end if;
  -- Nobody is queueing a run, see wait_for_turn, and none is queued.
  if given < wanted and turn.is_waiting and pg_try_advisory_xact_lock(hashtextextended(tenant::text, 4)) then
    update tenant_turn t set is_waiting = false
    where t.tenant_id = tenant and not exists (select from run q where q.tenant_id = tenant and not q.is_leased);
  end if;
end
$$;

revoke all on function take_turn(
  uuid, text[], integer, text, integer, integer, integer, text[], jsonb) from public;

-- Assigns queued runs to a runner, within the limits of each tenant and pool. One that serves all tenants gets one run per
-- tenant in turn, starting with the tenant served longest ago. Runs whose network or limits the runner refuses stay in
-- the queue for others.
-- A row without an agent means that nothing was assigned only because others were claiming: ask again.
create or replace function claim_permitted_runs(
  only_tenant uuid, pools text[], amount integer, runner text, lease_ms integer,
  tenant_limit integer, pool_limit integer, refused text[], installation jsonb
) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, pool text, run_id bigint, attempt integer,
  traceparent text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
-- Planned while a tenant has few runs, looking whether any waits would use a bitmap of all that it has later.
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  candidate record;
  taken run%rowtype;
  given integer := 0;
  given_before integer;
  is_contended boolean := false;
  exhausted uuid[] := '{}';
begin
  if only_tenant is not null then
    if not exists (select from run q where q.tenant_id = only_tenant and not q.is_leased)
      or exists (select from tenant s where s.id = only_tenant and (s.suspended_at is not null or s.move_step <> 'copying'))
    then
      return;
    end if;
    insert into tenant_turn (tenant_id, last_served_at) values (only_tenant, '-infinity') on conflict do nothing;
    -- The tenant's own runners wait for each other.
    perform from tenant_turn t where t.tenant_id = only_tenant for update;
    return query select t.tenant_id, t.agent_id, t.agent_key, t.root_key, t.pool, t.run_id, t.attempt, t.traceparent
      from take_turn(only_tenant, pools, amount, runner, lease_ms, tenant_limit, pool_limit, refused, installation) as t;
    return;
  end if;
  loop
    given_before := given;
    for candidate in
      select t.tenant_id from tenant_turn t
      where t.is_waiting and t.tenant_id <> all (array(
        select s.id from tenant s where s.suspended_at is not null
        union all select m.id from tenant m where m.move_step = 'draining'))
      order by t.last_served_at, t.tenant_id
    loop
      exit when given >= amount;
      continue when candidate.tenant_id = any (exhausted);
      -- Another claim of this tenant is in progress. Waiting for it while holding other locks could deadlock.
      perform from tenant_turn t where t.tenant_id = candidate.tenant_id for update skip locked;
      if not found then
        is_contended := true;
        continue;
      end if;
      select * into taken from take_turn(
        candidate.tenant_id, pools, 1, runner, lease_ms, tenant_limit, pool_limit, refused, installation);
      if taken.agent_id is null then
        -- Skipped in the next round: it may have thousands of queued runs that don't fit.
        exhausted := exhausted || candidate.tenant_id;
        continue;
      end if;
      given := given + 1;
      return query select taken.tenant_id, taken.agent_id, taken.agent_key, taken.root_key, taken.pool,
        taken.run_id, taken.attempt, taken.traceparent;
    end loop;
    exit when given >= amount or given = given_before;
  end loop;
  if given = 0 and is_contended then
    return query select null::uuid, null::uuid, null::text, null::text, null::text, null::bigint, null::integer,
      null::text;
  end if;
end
$$;

revoke all on function claim_permitted_runs(
  uuid, text[], integer, text, integer, integer, integer, text[], jsonb) from public;
grant execute on function claim_permitted_runs(
  uuid, text[], integer, text, integer, integer, integer, text[], jsonb) to skein_server;
