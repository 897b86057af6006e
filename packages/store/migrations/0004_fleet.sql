-- The fleet at a glance: which agents changed, in the order of their commits, and what was spent when. What was
-- spent before, and the indexes of the agents, come with 0006: they take long, and no command has to wait for them.

-- How many live agents are in each phase. In parts by connection, so that no command waits for another's commit.
-- An index on the phase would count them too, but make each change of a phase write every index of the agent.
create table fleet_count (
  tenant_id uuid not null references tenant,
  workspace text collate "C" not null,
  owner_provider text not null,
  account text not null,
  part smallint not null,
  pending bigint not null,
  running bigint not null,
  waiting bigint not null,
  asking bigint not null,
  primary key (tenant_id, workspace, owner_provider, account, part)
) with (fillfactor = 50);

-- What was spent in each hour, and how many agents ended in it.
create table spend (
  tenant_id uuid not null references tenant,
  hour timestamptz not null,
  workspace text collate "C" not null,
  owner_provider text not null,
  account text not null,
  part smallint not null,
  cost_micros bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  completed bigint not null,
  failed bigint not null,
  canceled bigint not null,
  primary key (tenant_id, hour, workspace, owner_provider, account, part)
) with (fillfactor = 50);

alter table fleet_count enable row level security;
create policy own_tenant on fleet_count to skein_server using (tenant_id = skein_current_tenant());
alter table spend enable row level security;
create policy own_tenant on spend to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, update on fleet_count, spend to skein_server;

create function is_ended(phase text) returns boolean
language sql immutable
return phase in ('PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED');

create function is_asking(phase text, state json) returns boolean
language sql immutable
return coalesce(not is_ended(phase) and state ->> 'needsInput' <> '', false);

-- Null for an agent that lives.
create function hour_of_end(phase text, state json) returns timestamptz
language sql immutable
return case when is_ended(phase)
  then date_trunc('hour', to_timestamp((state ->> 'endedAt')::bigint / 1000.0), 'UTC') end;

-- Counts what a server of the release before writes, which does not say it itself. Ten times as slow as being told.
-- A tree has one workspace and one owner.
create function count_changes(tenant uuid, at timestamptz, changes json) returns void
language plpgsql
as $$
begin
  with change as (
    select c.workspace, c."ownerProvider", c.account, a.phase as was, c.phase as becomes,
      is_asking(a.phase, a.state) as was_asking, is_asking(c.phase, c.state) as becomes_asking,
      hour_of_end(a.phase, a.state) as ended_in
    from json_to_recordset(changes -> 'agents') as c(id uuid, workspace text, "ownerProvider" text, account text,
      phase text, state json)
    left join agent a on a.id = c.id
    where a.phase is distinct from c.phase
  ), counted as (
    insert into fleet_count as f (tenant_id, workspace, owner_provider, account, part, pending, running, waiting, asking)
    select tenant, c.workspace, c."ownerProvider", c.account, pg_backend_pid() % 32,
      sum((c.becomes = 'PHASE_PENDING')::int - (c.was is not distinct from 'PHASE_PENDING')::int),
      sum((c.becomes = 'PHASE_RUNNING')::int - (c.was is not distinct from 'PHASE_RUNNING')::int),
      sum((c.becomes = 'PHASE_WAITING')::int - (c.was is not distinct from 'PHASE_WAITING')::int),
      sum(c.becomes_asking::int - c.was_asking::int)
    from change c group by c.workspace, c."ownerProvider", c.account
    on conflict (tenant_id, workspace, owner_provider, account, part) do update set
      pending = f.pending + excluded.pending, running = f.running + excluded.running,
      waiting = f.waiting + excluded.waiting, asking = f.asking + excluded.asking
  ), happened as (
    select date_trunc('hour', at, 'UTC') as hour, (e.event ->> 'costMicros')::bigint as cost,
      (e.event ->> 'inputTokens')::bigint as input, (e.event ->> 'cachedInputTokens')::bigint as cached,
      (e.event ->> 'outputTokens')::bigint as output, null as phase, 0 as amount
    from json_to_recordset(changes -> 'events') as e(event json) where e.event ->> 'type' = 'run.metered'
    union all
    select date_trunc('hour', at, 'UTC'), 0, 0, 0, 0, c.becomes, 1 from change c where is_ended(c.becomes)
    union all
    -- Spawned again: it has not ended after all.
    select c.ended_in, 0, 0, 0, 0, c.was, -1 from change c where c.ended_in is not null
  )
  insert into spend as s (tenant_id, hour, workspace, owner_provider, account, part, cost_micros, input_tokens,
    cached_input_tokens, output_tokens, completed, failed, canceled)
  select tenant, h.hour, changes #>> '{agents,0,workspace}', changes #>> '{agents,0,ownerProvider}',
    changes #>> '{agents,0,account}', pg_backend_pid() % 32, sum(h.cost), sum(h.input), sum(h.cached), sum(h.output),
    coalesce(sum(h.amount) filter (where h.phase = 'PHASE_COMPLETED'), 0),
    coalesce(sum(h.amount) filter (where h.phase = 'PHASE_FAILED'), 0),
    coalesce(sum(h.amount) filter (where h.phase = 'PHASE_CANCELED'), 0)
  from happened h group by h.hour order by h.hour
  on conflict (tenant_id, hour, workspace, owner_provider, account, part) do update set
    cost_micros = s.cost_micros + excluded.cost_micros, input_tokens = s.input_tokens + excluded.input_tokens,
    cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = s.output_tokens + excluded.output_tokens, completed = s.completed + excluded.completed,
    failed = s.failed + excluded.failed, canceled = s.canceled + excluded.canceled;
end
$$;

grant execute on function count_changes(uuid, timestamptz, json) to skein_server;

-- Holds up commands from their first statement on and waits for those under way, so that what is counted below is
-- exact: none of them is in the middle of the write_tree that does not count yet. From here on every statement is
-- one that commands wait for.
lock table command in access exclusive mode;

-- Rows are read in the order of their transactions, up to the oldest that is still under way: a transaction that
-- commits late is never skipped. Rows from before have no transaction that anyone could wait for, and are not in the
-- index, which is built without sorting them. In two steps, because a default that differs from row to row would
-- rewrite the table.
alter table outbox add column xid xid8 not null default '0';
alter table outbox alter column xid set default pg_current_xact_id();
create index outbox_feed on outbox (tenant_id, xid, id) where xid > '0';

insert into fleet_count
select a.tenant_id, a.workspace, a.owner_provider, a.account, 0,
  count(*) filter (where a.phase = 'PHASE_PENDING'), count(*) filter (where a.phase = 'PHASE_RUNNING'),
  count(*) filter (where a.phase = 'PHASE_WAITING'), count(*) filter (where is_asking(a.phase, a.state))
from agent a where not a.is_terminal
group by a.tenant_id, a.workspace, a.owner_provider, a.account;

-- Here and not later, because an agent that lives again is taken from its hour. No summary goes back further than a
-- week.
insert into spend
select b.tenant_id, b.hour, b.workspace, b.owner_provider, b.account, 0, 0, 0, 0, 0,
  count(*) filter (where b.phase = 'PHASE_COMPLETED'), count(*) filter (where b.phase = 'PHASE_FAILED'),
  count(*) filter (where b.phase = 'PHASE_CANCELED')
from (
  select a.tenant_id, hour_of_end(a.phase, a.state) as hour, a.workspace, a.owner_provider, a.account, a.phase
  from agent a where a.is_terminal and a.updated_at > now() - interval '8 days'
) b
where b.hour is not null
group by b.tenant_id, b.hour, b.workspace, b.owner_provider, b.account;

-- What transactions from this one on spend is counted as they spend it; what those before did, 0006 looks up.
create table spend_counted_from (xid xid8 not null);
insert into spend_counted_from select pg_snapshot_xmax(pg_current_snapshot());

-- The second round trip: every row that the command's events make.
create or replace function write_tree(tenant uuid, at timestamptz, changes json) returns void
language plpgsql
as $$
declare
  tally json;
begin
  tally := changes -> 'fleet';
  if tally is null then
    -- First, because it reads what the agents were.
    perform count_changes(tenant, at, changes);
  end if;
  if tally -> 'counts' is not null then
    insert into fleet_count as f (tenant_id, workspace, owner_provider, account, part, pending, running, waiting, asking)
    select tenant, tally ->> 'workspace', tally ->> 'ownerProvider', tally ->> 'account', pg_backend_pid() % 32,
      c.pending, c.running, c.waiting, c.asking
    from json_to_record(tally -> 'counts') as c(pending bigint, running bigint, waiting bigint, asking bigint)
    on conflict (tenant_id, workspace, owner_provider, account, part) do update set
      pending = f.pending + excluded.pending, running = f.running + excluded.running,
      waiting = f.waiting + excluded.waiting, asking = f.asking + excluded.asking;
  end if;
  if tally -> 'hours' is not null then
    insert into spend as s (tenant_id, hour, workspace, owner_provider, account, part, cost_micros, input_tokens,
      cached_input_tokens, output_tokens, completed, failed, canceled)
    select tenant, h.hour, tally ->> 'workspace', tally ->> 'ownerProvider', tally ->> 'account',
      pg_backend_pid() % 32, h."costMicros", h."inputTokens", h."cachedInputTokens", h."outputTokens", h.completed,
      h.failed, h.canceled
    from json_to_recordset(tally -> 'hours') as h(hour timestamptz, "costMicros" bigint, "inputTokens" bigint,
      "cachedInputTokens" bigint, "outputTokens" bigint, completed bigint, failed bigint, canceled bigint)
    on conflict (tenant_id, hour, workspace, owner_provider, account, part) do update set
      cost_micros = s.cost_micros + excluded.cost_micros, input_tokens = s.input_tokens + excluded.input_tokens,
      cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = s.output_tokens + excluded.output_tokens, completed = s.completed + excluded.completed,
      failed = s.failed + excluded.failed, canceled = s.canceled + excluded.canceled;
  end if;

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
