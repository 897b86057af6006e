-- For servers of the release before, which write the rows of several agents with it: write_tree does since then. Each
-- part is a separate argument, because every access to a JSON value reads all of it.
--
-- Existing rows are found one by one with a scalar key. A join with the list would be planned once per connection, for an
-- unknown number of rows, and scan whole tables of all tenants.
create or replace function write_changes(
  tenant uuid, at timestamptz, by_actor text, agents json, events json, fleet json,
  new_follow_ups json, follow_ups json, queued_runs json, ended_runs uuid[], new_timers json, ended_timers json,
  live_delta bigint, command_id bytea, request_sha256 bytea, answer json
) returns void
language plpgsql
as $$
declare
  item record;
  agent_id_of_run uuid;
begin
  with changed as materialized (
    select * from json_to_recordset(agents) as c(id uuid, key text, "rootKey" text, "parentKey" text,
      "ownerProvider" text, account text, workspace text, pool text, phase text, "isTerminal" boolean, labels jsonb,
      "costMicros" bigint, state json, listed json, "createdAt" timestamptz, "firstSequence" bigint, "lastSequence" bigint)
  ), written as (
    insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool, phase,
      is_terminal, labels, cost_micros, state, listed, created_at, updated_at)
    select c.id, tenant, c.key, c."rootKey", c."parentKey", c."ownerProvider", c.account, c.workspace, c.pool,
      c.phase, c."isTerminal", c.labels, c."costMicros", c.state, c.listed, c."createdAt", at
    from changed c
    on conflict (id) do update set pool = excluded.pool, phase = excluded.phase, is_terminal = excluded.is_terminal,
      labels = excluded.labels, cost_micros = excluded.cost_micros, state = excluded.state,
      listed = excluded.listed, created_at = excluded.created_at, updated_at = excluded.updated_at
  )
  insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
  select tenant, c.id, c."firstSequence", c."lastSequence", at from changed c;

  insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
  select tenant, e."agentId", e.sequence, at, by_actor, e.event
  from json_to_recordset(events) as e("agentId" uuid, sequence bigint, event json);

  if new_follow_ups is not null then
    insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, created_at, traceparent)
    select tenant, f."agentId", f."followUpId", f.state, f.body, f.position, at, f.traceparent
    from json_to_recordset(new_follow_ups)
      as f("agentId" uuid, "followUpId" text, state text, body json, position bigint, traceparent text)
    -- A removed message, or one of an earlier incarnation, is replaced by a new one with its id.
    on conflict (agent_id, follow_up_id) do update set state = excluded.state, body = excluded.body, run_id = null,
      position = excluded.position, created_at = excluded.created_at, traceparent = excluded.traceparent;
  end if;

  if follow_ups is not null then
    for item in
      select * from json_to_recordset(follow_ups)
        as f("agentId" uuid, "followUpId" text, state text, "runId" bigint, position bigint)
    loop
      update follow_up f set state = item.state, run_id = item."runId", position = coalesce(item.position, f.position)
      where f.agent_id = item."agentId" and f.follow_up_id = item."followUpId";
    end loop;
  end if;

  if queued_runs is not null then
    for item in
      select * from json_to_recordset(queued_runs) as r("agentId" uuid, "agentKey" text, "rootKey" text,
        pool text, "runId" bigint, attempt integer, "availableAt" timestamptz, "isNew" boolean, traceparent text)
    loop
      insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at,
        traceparent)
      -- Claims use the database's clock: a server whose clock is ahead would hide its runs for that long.
      values (item."agentId", tenant, item."agentKey", item."rootKey", item.pool, item."runId", item.attempt, false,
        now() + (item."availableAt" - at), item.traceparent)
      on conflict (agent_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
        is_leased = false, available_at = excluded.available_at, pool = excluded.pool,
        -- All attempts of a run belong to one trace.
        traceparent = case when run.run_id = excluded.run_id then run.traceparent else excluded.traceparent end;
      if not item."isNew" then
        delete from lease l where l.agent_id = item."agentId";
      end if;
    end loop;
    perform wait_for_turn(tenant);
  end if;

  foreach agent_id_of_run in array coalesce(ended_runs, '{}') loop
    delete from run r where r.agent_id = agent_id_of_run;
    delete from lease l where l.agent_id = agent_id_of_run;
  end loop;

  if new_timers is not null then
    insert into timer (tenant_id, agent_id, follow_up_id, agent_key, root_key, due_at)
    select tenant, t."agentId", t."followUpId", t."agentKey", t."rootKey", t."dueAt"
    from json_to_recordset(new_timers)
      as t("agentId" uuid, "followUpId" text, "agentKey" text, "rootKey" text, "dueAt" timestamptz);
  end if;

  if ended_timers is not null then
    for item in select * from json_to_recordset(ended_timers) as t("agentId" uuid, "followUpId" text) loop
      delete from timer t where t.agent_id = item."agentId" and t.follow_up_id = item."followUpId";
    end loop;
  end if;

  if live_delta is not null then
    -- Split by connection, so that spawns of one tenant don't wait for each other.
    insert into live_agents (tenant_id, part, amount) values (tenant, pg_backend_pid() % 64, live_delta)
    on conflict (tenant_id, part) do update set amount = live_agents.amount + excluded.amount;

    for item in
      select * from json_to_recordset(agents)
        as c(id uuid, "parentKey" text, pool text, "isTerminal" boolean, "leaves" boolean)
    loop
      if not item."isTerminal" then
        delete from leftover l where l.agent_id = item.id;
      else
        insert into leftover (agent_id, tenant_id, pool, is_root, ended_at, is_removed)
        values (item.id, tenant, item.pool, item."parentKey" = '', at, not item."leaves")
        -- An agent that has ended already, in a tree in which another one ends now, keeps its row.
        on conflict (agent_id) do nothing;
      end if;
    end loop;
  end if;

  -- Late, because whoever shares this connection's part waits for the commit.
  perform add_to_fleet(tenant, fleet);

  insert into command (tenant_id, id, request_sha256, answer, created_at)
  values (tenant, command_id, write_changes.request_sha256, write_changes.answer, at);
end
$$;

grant execute on function write_changes(uuid, timestamptz, text, json, json, json, json, json, json, uuid[], json,
  json, bigint, bytea, bytea, json) to skein_server;
