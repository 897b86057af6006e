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

grant execute on function write_tree(uuid, timestamptz, json) to skein_server;
