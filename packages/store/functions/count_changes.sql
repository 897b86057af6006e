-- Counts what a server of the release before writes, which does not say it itself. Ten times as slow as being told.
-- A tree has one workspace and one owner.
create or replace function count_changes(tenant uuid, at timestamptz, changes json) returns void
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
