-- The second round trip of a command that changes several agents of a tree: writes all rows derived from its events. A
-- command with very many is written in parts, one call after the other in one transaction: the last one has the
-- command's id, and writes what is about all of them.
--
-- Each column is an argument of its own, a list with an element for each row. JSON comes as lines of text, one value in
-- each: taking thousands of values out of one JSON value took longer than writing them. An event says the place of its
-- agent in the lists. They are read by place: unnest would copy each of them first.
create or replace function write_tree(
  tenant uuid, at timestamptz, by_actor text,
  its_root text, its_provider text, its_account text, its_workspace text,
  ids uuid[], keys text[], parents text[], pools text[], phases text[], have_ended boolean[], leave boolean[],
  labels text, costs bigint[], states text, listed text, began timestamptz[], first_events bigint[],
  last_events bigint[], event_places integer[], event_sequences bigint[], events text,
  new_follow_ups json, message_agents uuid[], message_ids text[], message_states text[], message_runs bigint[],
  message_positions bigint[], queued_runs json, ended_runs uuid[], new_timers json, timer_agents uuid[],
  timer_messages text[], lives_change boolean, live_delta bigint, fleet json, command_id bytea, request_digest bytea,
  its_answer json
) returns void
language plpgsql
as $$
declare
  item record;
  label_lines text[] := string_to_array(labels, e'\n');
  state_lines text[] := string_to_array(states, e'\n');
  listed_lines text[] := string_to_array(listed, e'\n');
  event_lines text[] := string_to_array(events, e'\n');
begin
  -- Finds existing rows by their key alone, however it is planned. A join might read all of the tenant's agents.
  insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool, phase,
    is_terminal, labels, cost_micros, state, listed, created_at, updated_at)
  select ids[n], tenant, keys[n], its_root, parents[n], its_provider, its_account, its_workspace, pools[n], phases[n],
    have_ended[n], label_lines[n]::jsonb, costs[n], state_lines[n]::json, listed_lines[n]::json, began[n], at
  from generate_series(1, cardinality(ids)) as n
  on conflict (id) do update set pool = excluded.pool, phase = excluded.phase, is_terminal = excluded.is_terminal,
    labels = excluded.labels, cost_micros = excluded.cost_micros, state = excluded.state,
    listed = excluded.listed, created_at = excluded.created_at, updated_at = excluded.updated_at;

  insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
  select tenant, ids[n], first_events[n], last_events[n], at from generate_series(1, cardinality(ids)) as n;

  insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
  select tenant, ids[event_places[n]], event_sequences[n], at, by_actor, event_lines[n]::json
  from generate_series(1, cardinality(event_places)) as n;

  if new_follow_ups is not null then
    insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, created_at, traceparent)
    select tenant, f."agentId", f."followUpId", f.state, f.body, f.position, at, f.traceparent
    from json_to_recordset(new_follow_ups)
      as f("agentId" uuid, "followUpId" text, state text, body json, position bigint, traceparent text)
    -- A removed message, or one of an earlier incarnation, is replaced by a new one with its id.
    on conflict (agent_id, follow_up_id) do update set state = excluded.state, body = excluded.body, run_id = null,
      position = excluded.position, created_at = excluded.created_at, traceparent = excluded.traceparent;
  end if;

  if message_agents is not null then
    perform change_follow_ups(message_agents, message_ids, message_states, message_runs, message_positions);
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

  if ended_runs is not null then
    delete from run r where r.agent_id = any(ended_runs);
    delete from lease l where l.agent_id = any(ended_runs);
  end if;

  if new_timers is not null then
    insert into timer (tenant_id, agent_id, follow_up_id, agent_key, root_key, due_at)
    select tenant, t."agentId", t."followUpId", t."agentKey", t."rootKey", t."dueAt"
    from json_to_recordset(new_timers)
      as t("agentId" uuid, "followUpId" text, "agentKey" text, "rootKey" text, "dueAt" timestamptz);
  end if;

  if timer_agents is not null then
    perform end_timers(timer_agents, timer_messages);
  end if;

  if live_delta is not null then
    -- Split by connection, so that spawns of one tenant don't wait for each other.
    insert into live_agents (tenant_id, part, amount) values (tenant, pg_backend_pid() % 64, live_delta)
    on conflict (tenant_id, part) do update set amount = live_agents.amount + excluded.amount;
  end if;

  if lives_change then
    delete from leftover l where l.agent_id = any(array(
      select ids[n] from generate_series(1, cardinality(ids)) as n where not have_ended[n]));
    insert into leftover (agent_id, tenant_id, pool, is_root, ended_at, is_removed)
    select ids[n], tenant, pools[n], parents[n] = '', at, not leave[n]
    from generate_series(1, cardinality(ids)) as n where have_ended[n]
    -- An agent that has ended already, in a tree in which another one ends now, keeps its row.
    on conflict (agent_id) do nothing;
  end if;

  if command_id is not null then
    -- Late, because whoever shares this connection's part waits for the commit.
    perform add_to_fleet(tenant, fleet);

    insert into command (tenant_id, id, request_sha256, answer, created_at)
    values (tenant, command_id, request_digest, its_answer, at);
  end if;
end
$$;

grant execute on function write_tree(uuid, timestamptz, text, text, text, text, text, uuid[], text[], text[], text[],
  text[], boolean[], boolean[], text, bigint[], text, text, timestamptz[], bigint[], bigint[], integer[], bigint[],
  text, json, uuid[], text[], text[], bigint[], bigint[], json, uuid[], json, uuid[], text[], boolean, bigint, json, bytea,
  bytea, json) to skein_server;

-- Changes messages, each at most once. Without these settings it could be planned, while the table is small, to read the
-- messages of all tenants: the only index scan without a condition is one that is not by bitmap.
create or replace function change_follow_ups(
  agents uuid[], messages text[], states text[], runs bigint[], positions bigint[]
) returns void
language plpgsql
set enable_hashjoin = off
set enable_indexscan = off
as $$
begin
  update follow_up f set state = c.state, run_id = c.run_id, position = coalesce(c.position, f.position)
  from unnest(agents, messages, states, runs, positions) as c(agent_id, follow_up_id, state, run_id, position)
  where f.agent_id = c.agent_id and f.follow_up_id = c.follow_up_id;
end
$$;

grant execute on function change_follow_ups(uuid[], text[], text[], bigint[], bigint[]) to skein_server;

-- With settings for the same reason as change_follow_ups.
create or replace function end_timers(agents uuid[], messages text[]) returns void
language plpgsql
set enable_hashjoin = off
set enable_indexscan = off
as $$
begin
  delete from timer t using unnest(agents, messages) as e(agent_id, follow_up_id)
  where t.agent_id = e.agent_id and t.follow_up_id = e.follow_up_id;
end
$$;

grant execute on function end_timers(uuid[], text[]) to skein_server;
