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

-- Assigns queued runs to a runner: one per tenant in turn, starting with the tenant served longest ago, within the limits
-- of the tenant, its ceiling and the pool. Counting happens after the tenant's row is locked, so limits are strict.
-- Runs whose network or limits the runner refuses stay in the queue for others.
-- A row without an agent means that nothing was assigned only because others were claiming: ask again.
create or replace function claim_permitted_runs(
  only_tenant uuid, pools text[], amount integer, runner text, lease_ms integer,
  tenant_limit integer, pool_limit integer, refused text[], installation jsonb
) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, pool text, run_id bigint, attempt integer,
  traceparent text
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  candidate record;
  taken run%rowtype;
  open_pools text[];
  ceiling jsonb;
  given integer := 0;
  round_given integer;
  is_contended boolean := false;
  exhausted uuid[] := '{}';
begin
  loop
    round_given := 0;
    for candidate in
      with recursive waiting as (
        -- Skips from one tenant to the next, however many runs each has queued.
        (select q.tenant_id from run q where only_tenant is null and not q.is_leased
         order by q.tenant_id limit 1)
        union all
        select (select q.tenant_id from run q where not q.is_leased and q.tenant_id > w.tenant_id
                order by q.tenant_id limit 1)
        from waiting w where w.tenant_id is not null
      ), served as (
        select w.tenant_id from waiting w where w.tenant_id is not null
        union all
        select only_tenant where exists (select from run q where q.tenant_id = only_tenant and not q.is_leased)
      )
      select w.tenant_id from served w left join tenant_turn t on t.tenant_id = w.tenant_id
      order by t.last_served_at nulls first, w.tenant_id
    loop
      exit when given >= amount;
      continue when candidate.tenant_id = any (exhausted);
      insert into tenant_turn (tenant_id, last_served_at) values (candidate.tenant_id, '-infinity')
      on conflict do nothing;
      -- Another claim of this tenant is in progress. The tenant's own runners wait for it; a runner for all tenants moves
      -- on to the next tenant, because waiting while it holds other locks could deadlock.
      if only_tenant is null then
        perform from tenant_turn t where t.tenant_id = candidate.tenant_id for update skip locked;
        if not found then
          is_contended := true;
          continue;
        end if;
      else
        perform from tenant_turn t where t.tenant_id = candidate.tenant_id for update;
      end if;
      ceiling := ceiling_of(candidate.tenant_id, installation);
      -- Once per pool, not per queued run: thousands may be waiting for a full pool.
      select array_agg(p.name) into open_pools from unnest(pools) as p(name)
      where (select count(*) from run l where l.tenant_id = candidate.tenant_id and l.is_leased)
          < least(coalesce((select (q.document ->> 'runsInFlight')::int from resource q
               where q.tenant_id = candidate.tenant_id and q.kind = 'quota' and q.name = 'default'), tenant_limit),
             (ceiling -> 'quota' ->> 'runsInFlight')::int)
        and (select count(*) from run l
             where l.tenant_id = candidate.tenant_id and l.is_leased and l.pool = p.name)
          < coalesce((select (d.document ->> 'maxRuns')::int from resource d
             where d.tenant_id = candidate.tenant_id and d.kind = 'pool' and d.name = p.name), pool_limit)
        and (refused = '{}' or holds_permitted_limits(candidate.tenant_id, p.name, refused, ceiling));
      taken := next_permitted_run(candidate.tenant_id, open_pools, refused, ceiling);
      if taken.agent_id is null then
        -- Skipped in the next round: it may have thousands of queued runs that don't fit.
        exhausted := exhausted || candidate.tenant_id;
        continue;
      end if;
      update run set is_leased = true where run.agent_id = taken.agent_id;
      insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
      values (taken.agent_id, taken.tenant_id, taken.run_id, taken.attempt, claim_permitted_runs.runner,
        now() + make_interval(secs => lease_ms / 1000.0))
      on conflict (agent_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
        runner = excluded.runner, expires_at = excluded.expires_at;
      update tenant_turn set last_served_at = clock_timestamp() where tenant_turn.tenant_id = candidate.tenant_id;
      given := given + 1;
      round_given := round_given + 1;
      return query select taken.tenant_id, taken.agent_id, taken.agent_key, taken.root_key, taken.pool,
        taken.run_id, taken.attempt, taken.traceparent;
    end loop;
    exit when given >= amount or round_given = 0;
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
