-- Updates the totals of a tree's workspace and owner.
create or replace function add_to_fleet(tenant uuid, tally json) returns void
language plpgsql
as $$
begin
  if tally -> 'counts' is not null then
    insert into fleet_count as f (tenant_id, workspace, owner_provider, account, part, pending, running, waiting, asking)
    select tenant, tally ->> 'workspace', tally ->> 'ownerProvider', tally ->> 'account', pg_backend_pid() % 64,
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
      pg_backend_pid() % 64, h."costMicros", h."inputTokens", h."cachedInputTokens", h."outputTokens", h.completed,
      h.failed, h.canceled
    from json_to_recordset(tally -> 'hours') as h(hour timestamptz, "costMicros" bigint, "inputTokens" bigint,
      "cachedInputTokens" bigint, "outputTokens" bigint, completed bigint, failed bigint, canceled bigint)
    on conflict (tenant_id, hour, workspace, owner_provider, account, part) do update set
      cost_micros = s.cost_micros + excluded.cost_micros, input_tokens = s.input_tokens + excluded.input_tokens,
      cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = s.output_tokens + excluded.output_tokens, completed = s.completed + excluded.completed,
      failed = s.failed + excluded.failed, canceled = s.canceled + excluded.canceled;
  end if;
  if tally -> 'used' is not null or tally -> 'settled' is not null then
    perform add_usage(tenant, tally ->> 'rootKey', tally ->> 'workspace', tally ->> 'ownerProvider',
      tally ->> 'account', tally -> 'used', tally -> 'settled');
  end if;
end
$$;

grant execute on function add_to_fleet(uuid, json) to skein_server;
