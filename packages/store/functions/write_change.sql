-- Like write_tree, for a command that changes one agent and has at most one row of each other kind: most commands.
-- Everything is a scalar, so that nothing is parsed but what is stored as JSON. A test compares the two.
create or replace function write_change(
  tenant uuid, at timestamptz, by_actor text,
  its_id uuid, its_key text, its_root text, its_parent text, its_provider text, its_account text, its_workspace text,
  its_pool text, its_phase text, has_ended boolean, leaves boolean, its_labels jsonb, its_cost bigint, its_state json,
  began_at timestamptz, is_known boolean, first_event bigint, last_event bigint, events json,
  new_message text, new_message_state text, new_message_body json, new_message_position bigint, new_message_trace text,
  message text, message_state text, message_run bigint, message_position bigint,
  queued_run bigint, queued_attempt integer, queued_for timestamptz, had_no_run boolean, queued_trace text,
  ends_run boolean, live_delta bigint, bytes_delta bigint,
  more_pending bigint, more_running bigint, more_waiting bigint, more_asking bigint, spent json,
  command_id bytea, request_digest bytea, its_answer json, its_listed json
) returns void
language plpgsql
as $$
declare
  is_waiting boolean;
begin
  if is_known then
    update agent a set pool = its_pool, phase = its_phase, is_terminal = has_ended, labels = its_labels,
      cost_micros = its_cost, state = its_state, listed = its_listed, created_at = began_at, updated_at = at
    where a.id = its_id;
    if not found then
      raise exception 'The agent % is not there any more', its_id;
    end if;
  else
    insert into agent (id, tenant_id, key, root_key, parent_key, owner_provider, account, workspace, pool, phase,
      is_terminal, labels, cost_micros, state, listed, created_at, updated_at)
    values (its_id, tenant, its_key, its_root, its_parent, its_provider, its_account, its_workspace, its_pool, its_phase,
      has_ended, its_labels, its_cost, its_state, its_listed, began_at, at);
  end if;

  insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
  values (tenant, its_id, first_event, last_event, at);

  insert into timeline (tenant_id, agent_id, sequence, created_at, actor, event)
  select tenant, its_id, first_event + e.place - 1, at, by_actor, e.event
  from json_array_elements(events) with ordinality as e(event, place);

  if new_message is not null then
    insert into follow_up (tenant_id, agent_id, follow_up_id, state, body, position, created_at, traceparent)
    values (tenant, its_id, new_message, new_message_state, new_message_body, new_message_position, at, new_message_trace)
    on conflict (agent_id, follow_up_id) do update set state = excluded.state, body = excluded.body, run_id = null,
      position = excluded.position, created_at = excluded.created_at, traceparent = excluded.traceparent;
  end if;

  if message is not null then
    update follow_up f set state = message_state, run_id = message_run, position = coalesce(message_position, f.position)
    where f.agent_id = its_id and f.follow_up_id = message;
  end if;

  if queued_run is not null then
    insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at,
      traceparent)
    values (its_id, tenant, its_key, its_root, its_pool, queued_run, queued_attempt, false, now() + (queued_for - at),
      queued_trace)
    on conflict (agent_id) do update set run_id = excluded.run_id, attempt = excluded.attempt,
      is_leased = false, available_at = excluded.available_at, pool = excluded.pool,
      traceparent = case when run.run_id = excluded.run_id then run.traceparent else excluded.traceparent end;
    if not had_no_run then
      delete from lease l where l.agent_id = its_id;
    end if;
    is_waiting := wait_for_turn(tenant) is not null;
  end if;

  if ends_run then
    delete from run r where r.agent_id = its_id;
    delete from lease l where l.agent_id = its_id;
  end if;

  if live_delta is not null then
    insert into live_agents (tenant_id, part, amount) values (tenant, pg_backend_pid() % 64, live_delta)
    on conflict (tenant_id, part) do update set amount = live_agents.amount + excluded.amount;
    if not has_ended then
      delete from leftover l where l.agent_id = its_id;
    else
      insert into leftover (agent_id, tenant_id, pool, is_root, ended_at, is_removed)
      values (its_id, tenant, its_pool, its_parent = '', at, not leaves)
      on conflict (agent_id) do nothing;
    end if;
  end if;

  insert into command (tenant_id, id, request_sha256, answer, created_at)
  values (tenant, command_id, request_digest, its_answer, at);

  -- Late, because whoever shares this connection's part waits for the commit.
  if more_pending is not null then
    insert into fleet_count as f (tenant_id, workspace, owner_provider, account, part, pending, running, waiting, asking)
    values (tenant, its_workspace, its_provider, its_account, pg_backend_pid() % 64, more_pending, more_running,
      more_waiting, more_asking)
    on conflict (tenant_id, workspace, owner_provider, account, part) do update set
      pending = f.pending + excluded.pending, running = f.running + excluded.running,
      waiting = f.waiting + excluded.waiting, asking = f.asking + excluded.asking;
  end if;
  if spent is not null then
    perform add_to_fleet(tenant, spent);
  end if;
  -- Last, as after write_tree: in another order, two connections with the same part could wait for each other.
  if bytes_delta is not null then
    insert into queued_bytes (tenant_id, part, amount) values (tenant, pg_backend_pid() % 64, bytes_delta)
    on conflict (tenant_id, part) do update set amount = queued_bytes.amount + excluded.amount;
  end if;
end
$$;

grant execute on function write_change(uuid, timestamptz, text, uuid, text, text, text, text, text, text, text, text,
  boolean, boolean, jsonb, bigint, json, timestamptz, boolean, bigint, bigint, json, text, text, json, bigint, text, text,
  text, bigint, bigint, bigint, integer, timestamptz, boolean, text, boolean, bigint, bigint, bigint, bigint, bigint,
  bigint, json, bytea, bytea, json, json) to skein_server;

-- For servers of the release before, which don't know what a list shows.
create or replace function write_change(
  tenant uuid, at timestamptz, by_actor text,
  its_id uuid, its_key text, its_root text, its_parent text, its_provider text, its_account text, its_workspace text,
  its_pool text, its_phase text, has_ended boolean, leaves boolean, its_labels jsonb, its_cost bigint, its_state json,
  began_at timestamptz, is_known boolean, first_event bigint, last_event bigint, events json,
  new_message text, new_message_state text, new_message_body json, new_message_position bigint, new_message_trace text,
  message text, message_state text, message_run bigint, message_position bigint,
  queued_run bigint, queued_attempt integer, queued_for timestamptz, had_no_run boolean, queued_trace text,
  ends_run boolean, live_delta bigint, bytes_delta bigint,
  more_pending bigint, more_running bigint, more_waiting bigint, more_asking bigint, spent json,
  command_id bytea, request_digest bytea, its_answer json
) returns void
language plpgsql
as $$
begin
  perform write_change(
    tenant, at, by_actor, its_id, its_key, its_root, its_parent, its_provider, its_account, its_workspace,
    its_pool, its_phase, has_ended, leaves, its_labels, its_cost, its_state, began_at, is_known, first_event,
    last_event, events, new_message, new_message_state, new_message_body, new_message_position,
    new_message_trace, message, message_state, message_run, message_position, queued_run, queued_attempt,
    queued_for, had_no_run, queued_trace, ends_run, live_delta, bytes_delta, more_pending, more_running,
    more_waiting, more_asking, spent, command_id, request_digest, its_answer,
    null::json);
end
$$;

grant execute on function write_change(uuid, timestamptz, text, uuid, text, text, text, text, text, text, text, text,
  boolean, boolean, jsonb, bigint, json, timestamptz, boolean, bigint, bigint, json, text, text, json, bigint, text, text,
  text, bigint, bigint, bigint, integer, timestamptz, boolean, text, boolean, bigint, bigint, bigint, bigint, bigint,
  bigint, json, bytea, bytea, json) to skein_server;
