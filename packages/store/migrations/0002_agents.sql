-- Agents, their messages and timelines, and the queue of runs with its leases and timers.
--
-- Everything here is what the events of packages/core make of it: an agent's row is its state, a follow-up's row
-- its last state, a run's row the run that is queued or leased. A tree of agents is locked by its root's key, so
-- rows of one tree are written by one transaction at a time.

create table agent (
  id uuid primary key,
  tenant_id uuid not null references tenant,
  key text collate "C" not null,
  root_key text collate "C" not null,
  parent_key text collate "C" not null,
  owner_provider text not null,
  account text not null,
  workspace text collate "C" not null,
  phase text not null,
  is_terminal boolean not null,
  labels jsonb not null,
  cost_micros bigint not null,
  state json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (tenant_id, key)
) with (fillfactor = 80);

create index agent_by_account on agent (tenant_id, parent_key, owner_provider, account, created_at desc, id desc);
create index agent_by_tenant on agent (tenant_id, parent_key, created_at desc, id desc);
create index agent_live_by_account on agent (tenant_id, parent_key, owner_provider, account, created_at desc, id desc)
  where not is_terminal;
create index agent_live_by_tenant on agent (tenant_id, parent_key, created_at desc, id desc) where not is_terminal;

-- How many agents are alive, in parts, so that spawns of one tenant do not wait for each other.
create table live_agents (
  tenant_id uuid not null references tenant,
  part smallint not null,
  amount bigint not null,
  primary key (tenant_id, part)
) with (fillfactor = 50);

create table follow_up (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  follow_up_id text collate "C" not null,
  state text not null,
  body json not null,
  run_id bigint,
  position bigint not null,
  created_at timestamptz not null,
  primary key (agent_id, follow_up_id)
) with (fillfactor = 90);

create index follow_up_pending on follow_up (agent_id, position) where state in ('QUEUED', 'DEFERRED');
create index follow_up_of_run on follow_up (agent_id, run_id, position) where run_id is not null;

-- The run of an agent that is queued or leased; an agent has one at most.
create table run (
  agent_id uuid primary key,
  tenant_id uuid not null references tenant,
  agent_key text collate "C" not null,
  root_key text collate "C" not null,
  pool text collate "C" not null,
  run_id bigint not null,
  attempt integer not null,
  is_leased boolean not null,
  available_at timestamptz not null
) with (fillfactor = 70);

create index run_queued on run (tenant_id, pool, available_at) where not is_leased;
create index run_leased on run (tenant_id, pool) where is_leased;
-- Runs that wait for their back-off to end: nothing else happens at that moment that could wake a runner.
create index run_retries on run (available_at) where not is_leased and attempt > 1;

-- The only table that heartbeats touch. No index but the key, so that every touch stays on its page.
create table lease (
  agent_id uuid primary key,
  tenant_id uuid not null references tenant,
  run_id bigint not null,
  attempt integer not null,
  runner text not null,
  expires_at timestamptz not null
) with (fillfactor = 40);

-- Whose turn it is: claims of one tenant go one after the other, which is what makes its limits strict.
create table tenant_turn (
  tenant_id uuid primary key references tenant,
  last_served_at timestamptz not null
) with (fillfactor = 50);

-- Messages that wait for their time.
create table timer (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  follow_up_id text collate "C" not null,
  agent_key text collate "C" not null,
  root_key text collate "C" not null,
  due_at timestamptz not null,
  claimed_until timestamptz not null default '-infinity',
  primary key (agent_id, follow_up_id)
) with (fillfactor = 70);

create index timer_due on timer (due_at);

create table timeline (
  tenant_id uuid not null,
  agent_id uuid not null,
  sequence bigint not null,
  created_at timestamptz not null,
  actor text not null,
  event json not null,
  primary key (agent_id, sequence, created_at)
) partition by range (created_at);

-- What automations will read: which agents changed, in the order of their rows' ids.
create table outbox (
  id bigint generated always as identity,
  tenant_id uuid not null,
  agent_id uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  created_at timestamptz not null,
  primary key (id, created_at)
) partition by range (created_at);

create table timeline_default partition of timeline default;
create table outbox_default partition of outbox default;

do $$
declare part text;
begin
  foreach part in array array['agent', 'live_agents', 'follow_up', 'run', 'lease', 'tenant_turn', 'timer', 'timeline', 'outbox']
  loop
    execute format('alter table %I enable row level security', part);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', part);
  end loop;
  foreach part in array array['timeline_default', 'outbox_default'] loop
    execute format('alter table %I enable row level security', part);
  end loop;
end
$$;

grant select, insert, update on agent, live_agents, follow_up to skein_server;
grant select, insert, update, delete on run, lease, timer to skein_server;
grant select, insert on timeline, outbox to skein_server;

insert into partition_plan (parent, unit) values ('timeline', 'month'), ('outbox', 'day');

select maintain_partitions('{}');

-- The first round trip of a command: binds the transaction to its tenant, locks the tree, and only then, in a
-- later statement with a snapshot of its own, reads. Locking and reading in one statement loses updates.
create function load_tree(
  tenant uuid, tree text, command_id bytea, not_before timestamptz, keys text[], below text, message text
) returns json
language plpgsql
as $$
declare
  target uuid;
begin
  perform set_config('skein.tenant', tenant::text, true);
  perform pg_advisory_xact_lock(hashtextextended(encode(command_id, 'hex'), 1));
  perform pg_advisory_xact_lock(hashtextextended(tenant::text || '/' || tree, 2));
  select a.id into target from agent a where a.tenant_id = tenant and a.key = keys[1];
  return json_build_object(
    'command', (select json_build_object('requestSha256', encode(c.request_sha256, 'hex'), 'answer', c.answer)
                from command c where c.tenant_id = tenant and c.id = command_id and c.created_at > not_before
                order by c.created_at desc limit 1),
    'agents', (select json_object_agg(a.key, a.state) from agent a where a.tenant_id = tenant and a.key = any(keys)),
    'below', case when below is not null then
      (select json_agg(a.state) from agent a
       where a.tenant_id = tenant and a.key > below || '/' and a.key < below || '0') end,
    'isKnown', message is not null and exists (
      select from follow_up f where f.agent_id = target and f.follow_up_id = message),
    'quota', (select r.document from resource r
              where r.tenant_id = tenant and r.kind = 'quota' and r.name = 'default')
  );
end
$$;

-- The second round trip: every row that the command's events make.
create function write_tree(tenant uuid, at timestamptz, changes json) returns void
language plpgsql
as $$
begin
  insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, phase,
    is_terminal, labels, cost_micros, state, created_at, updated_at)
  select c.id, tenant, c.key, c."rootKey", c."parentKey", c."ownerProvider", c.account, c.workspace, c.phase,
    c."isTerminal", c.labels, c."costMicros", c.state, c."createdAt", at
  from json_to_recordset(changes -> 'agents') as c(id uuid, key text, "rootKey" text, "parentKey" text,
    "ownerProvider" text, account text, workspace text, phase text, "isTerminal" boolean, labels jsonb,
    "costMicros" bigint, state json, "createdAt" timestamptz)
  on conflict (id) do update set phase = excluded.phase, is_terminal = excluded.is_terminal,
    labels = excluded.labels, cost_micros = excluded.cost_micros, state = excluded.state,
    created_at = excluded.created_at, updated_at = excluded.updated_at;

  insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
  select tenant, e."agentId", e.sequence, at, changes ->> 'actor', e.event
  from json_to_recordset(changes -> 'events') as e("agentId" uuid, sequence bigint, event json);

  insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
  select tenant, e."agentId", min(e.sequence), max(e.sequence), at
  from json_to_recordset(changes -> 'events') as e("agentId" uuid, sequence bigint)
  group by e."agentId";

  if changes -> 'newFollowUps' is not null then
    insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, created_at)
    select tenant, f."agentId", f."followUpId", f.state, f.body, f.position, at
    from json_to_recordset(changes -> 'newFollowUps')
      as f("agentId" uuid, "followUpId" text, state text, body json, position bigint);
  end if;

  if changes -> 'followUps' is not null then
    update follow_up set state = f.state, run_id = f."runId", position = coalesce(f.position, follow_up.position)
    from json_to_recordset(changes -> 'followUps')
      as f("agentId" uuid, "followUpId" text, state text, "runId" bigint, position bigint)
    where follow_up.agent_id = f."agentId" and follow_up.follow_up_id = f."followUpId";
  end if;

  if changes -> 'queuedRuns' is not null then
    insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
    -- Claims go by the database's clock: a server whose own is ahead would hide its runs for that long.
    select r."agentId", tenant, r."agentKey", r."rootKey", r.pool, r."runId", r.attempt, false,
      now() + (r."availableAt" - at)
    from json_to_recordset(changes -> 'queuedRuns') as r("agentId" uuid, "agentKey" text, "rootKey" text,
      pool text, "runId" bigint, attempt integer, "availableAt" timestamptz)
    on conflict (agent_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
      is_leased = false, available_at = excluded.available_at, pool = excluded.pool;
    delete from lease l using json_to_recordset(changes -> 'queuedRuns') as r("agentId" uuid)
    where l.agent_id = r."agentId";
  end if;

  if changes -> 'endedRuns' is not null then
    delete from run r using json_array_elements_text(changes -> 'endedRuns') as e(id) where r.agent_id = e.id::uuid;
    delete from lease l using json_array_elements_text(changes -> 'endedRuns') as e(id) where l.agent_id = e.id::uuid;
  end if;

  if changes -> 'newTimers' is not null then
    insert into timer (tenant_id, agent_id, follow_up_id, agent_key, root_key, due_at)
    select tenant, t."agentId", t."followUpId", t."agentKey", t."rootKey", t."dueAt"
    from json_to_recordset(changes -> 'newTimers')
      as t("agentId" uuid, "followUpId" text, "agentKey" text, "rootKey" text, "dueAt" timestamptz);
  end if;

  if changes -> 'endedTimers' is not null then
    delete from timer using json_to_recordset(changes -> 'endedTimers') as t("agentId" uuid, "followUpId" text)
    where timer.agent_id = t."agentId" and timer.follow_up_id = t."followUpId";
  end if;

  if changes -> 'liveDelta' is not null then
    insert into live_agents (tenant_id, part, amount)
    values (tenant, (changes -> 'liveDelta' ->> 'part')::smallint, (changes -> 'liveDelta' ->> 'amount')::bigint)
    on conflict (tenant_id, part) do update set amount = live_agents.amount + excluded.amount;
  end if;

  insert into command (tenant_id, id, request_sha256, answer, created_at)
  select tenant, decode(changes -> 'command' ->> 'id', 'hex'),
    decode(changes -> 'command' ->> 'requestSha256', 'hex'), changes -> 'command' -> 'answer', at;
end
$$;

grant execute on function load_tree(uuid, text, bytea, timestamptz, text[], text, text) to skein_server;
grant execute on function write_tree(uuid, timestamptz, json) to skein_server;

-- Gives queued runs to a runner: one from each tenant in turn, the one served longest ago first, within the
-- limits of the tenant and of the pool. Counting happens after the tenant's row is locked, so limits are strict.
-- A row without an agent says that nothing was given only because others were claiming: ask again.
create function claim_runs(
  only_tenant uuid, pools text[], amount integer, runner text, lease_ms integer,
  tenant_limit integer, pool_limit integer
) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, pool text, run_id bigint, attempt integer
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  candidate record;
  taken run%rowtype;
  open_pools text[];
  given integer := 0;
  round_given integer;
  is_contended boolean := false;
begin
  loop
    round_given := 0;
    for candidate in
      with recursive waiting as (
        (select q.tenant_id from run q
         where not q.is_leased and (only_tenant is null or q.tenant_id = only_tenant)
         order by q.tenant_id limit 1)
        union all
        select (select q.tenant_id from run q where not q.is_leased and q.tenant_id > w.tenant_id
                and only_tenant is null order by q.tenant_id limit 1)
        from waiting w where w.tenant_id is not null
      )
      select w.tenant_id from waiting w left join tenant_turn t on t.tenant_id = w.tenant_id
      where w.tenant_id is not null
      order by t.last_served_at nulls first, w.tenant_id
    loop
      exit when given >= amount;
      insert into tenant_turn (tenant_id, last_served_at) values (candidate.tenant_id, '-infinity')
      on conflict do nothing;
      -- Another claim of this tenant is under way: a runner of its own waits for it, one of all tenants serves the
      -- next tenant meanwhile. Waiting while it holds others would end in a deadlock.
      if only_tenant is null then
        perform from tenant_turn t where t.tenant_id = candidate.tenant_id for update skip locked;
        if not found then
          is_contended := true;
          continue;
        end if;
      else
        perform from tenant_turn t where t.tenant_id = candidate.tenant_id for update;
      end if;
      -- Once for each pool, not once for each run that is queued: there may be thousands behind a full pool.
      select array_agg(p.name) into open_pools from unnest(pools) as p(name)
      where (select count(*) from run l where l.tenant_id = candidate.tenant_id and l.is_leased)
          < coalesce((select (q.document ->> 'runsInFlight')::int from resource q
             where q.tenant_id = candidate.tenant_id and q.kind = 'quota' and q.name = 'default'), tenant_limit)
        and (select count(*) from run l
             where l.tenant_id = candidate.tenant_id and l.is_leased and l.pool = p.name)
          < coalesce((select (d.document ->> 'maxRuns')::int from resource d
             where d.tenant_id = candidate.tenant_id and d.kind = 'pool' and d.name = p.name), pool_limit);
      taken := null;
      select r.* into taken from unnest(open_pools) as p(name), lateral (
        select q.* from run q
        where q.tenant_id = candidate.tenant_id and q.pool = p.name and not q.is_leased and q.available_at <= now()
        order by q.available_at limit 1 for update skip locked) as r
      order by r.available_at limit 1;
      continue when taken.agent_id is null;
      update run set is_leased = true where run.agent_id = taken.agent_id;
      insert into lease (agent_id, tenant_id, run_id, attempt, runner, expires_at)
      values (taken.agent_id, taken.tenant_id, taken.run_id, taken.attempt, claim_runs.runner,
        now() + make_interval(secs => lease_ms / 1000.0))
      on conflict (agent_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
        runner = excluded.runner, expires_at = excluded.expires_at;
      update tenant_turn set last_served_at = clock_timestamp() where tenant_turn.tenant_id = candidate.tenant_id;
      given := given + 1;
      round_given := round_given + 1;
      return query select taken.tenant_id, taken.agent_id, taken.agent_key, taken.root_key, taken.pool,
        taken.run_id, taken.attempt;
    end loop;
    exit when given >= amount or round_given = 0;
  end loop;
  if given = 0 and is_contended then
    return query select null::uuid, null::uuid, null::text, null::text, null::text, null::bigint, null::integer;
  end if;
end
$$;

-- Renews the leases a runner still holds, and says which those are.
create function touch_leases(
  holder text, agent_ids uuid[], run_ids bigint[], attempts integer[], lease_ms integer
) returns table (agent_id uuid)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update lease l set expires_at = now() + make_interval(secs => lease_ms / 1000.0)
  from unnest(agent_ids, run_ids, attempts) as held(agent_id, run_id, attempt)
  where l.agent_id = held.agent_id and l.run_id = held.run_id and l.attempt = held.attempt and l.runner = holder
  returning l.agent_id;
end;

-- Leases that ran out. Each is put a little ahead, so that the servers do not all take up the same ones.
create function take_expired_leases(amount integer) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, run_id bigint, attempt integer
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update lease l set expires_at = now() + interval '5 seconds', runner = ''
  from run r
  where r.agent_id = l.agent_id and l.agent_id in (
    select e.agent_id from lease e where e.expires_at < now() limit amount for update skip locked)
  returning l.tenant_id, l.agent_id, r.agent_key, r.root_key, l.run_id, l.attempt;
end;

-- Messages whose time has come by the asking server's clock, which the rules go by too, each to one server for a
-- while. The earliest first.
create function take_due_timers(amount integer, at timestamptz) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, follow_up_id text
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with taken as (
    update timer t set claimed_until = now() + interval '5 seconds'
    from (select d.agent_id, d.follow_up_id from timer d
          where d.due_at <= at and d.claimed_until < now()
          order by d.due_at limit amount for update skip locked) as due
    where t.agent_id = due.agent_id and t.follow_up_id = due.follow_up_id
    returning t.tenant_id, t.agent_id, t.agent_key, t.root_key, t.follow_up_id, t.due_at
  )
  select k.tenant_id, k.agent_id, k.agent_key, k.root_key, k.follow_up_id from taken k order by k.due_at;
end;

revoke all on function claim_runs(uuid, text[], integer, text, integer, integer, integer) from public;
revoke all on function touch_leases(text, uuid[], bigint[], integer[], integer) from public;
revoke all on function take_expired_leases(integer) from public;
revoke all on function take_due_timers(integer, timestamptz) from public;
grant execute on function claim_runs(uuid, text[], integer, text, integer, integer, integer) to skein_server;
grant execute on function touch_leases(text, uuid[], bigint[], integer[], integer) to skein_server;
grant execute on function take_expired_leases(integer) to skein_server;
grant execute on function take_due_timers(integer, timestamptz) to skein_server;

-- Pools with a retry whose back-off has just ended.
create function pools_with_retries(since timestamptz) returns table (tenant_id uuid, pool text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct r.tenant_id, r.pool from run r
  where not r.is_leased and r.attempt > 1 and r.available_at > since and r.available_at <= now();
end;

revoke all on function pools_with_retries(timestamptz) from public;
grant execute on function pools_with_retries(timestamptz) to skein_server;

-- Which of these agents changed since then: the safety net under the wake-ups, for all who wait at once.
create function agents_changed_since(agent_ids uuid[], since timestamptz) returns table (agent_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select a.id from agent a where a.id = any(agent_ids) and a.updated_at >= since;
end;

revoke all on function agents_changed_since(uuid[], timestamptz) from public;
grant execute on function agents_changed_since(uuid[], timestamptz) to skein_server;

-- All that the status operation tells, in one statement that binds itself to its tenant: a transaction around it
-- would cost two more.
create function read_status(tenant uuid, wanted text) returns table (
  state json, tree_cost bigint, follow_ups json, build text
)
language plpgsql stable
as $$
begin
  perform set_config('skein.tenant', tenant::text, true);
  return query
  select a.state,
    (select coalesce(sum(t.cost_micros), 0)::bigint from agent t
     where t.tenant_id = tenant and (t.key = wanted or (t.key > wanted || '/' and t.key < wanted || '0'))),
    (select json_agg(json_build_object('state', f.state, 'body', f.body) order by f.position)
     from follow_up f where f.agent_id = a.id and f.state in ('QUEUED', 'DEFERRED')),
    (select r.document -> 'build' ->> 'name' from resource r
     where r.tenant_id = tenant and r.kind = 'pool' and r.name = a.state ->> 'pool')
  from agent a where a.tenant_id = tenant and a.key = wanted;
end
$$;

grant execute on function read_status(uuid, text) to skein_server;
