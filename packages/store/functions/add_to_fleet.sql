-- Updates the totals of a tree's workspace and owner. Reads the JSON once: a kill settles the calls of thousands of agents,
-- and every access would read all of their ids.
create or replace function add_to_fleet(tenant uuid, tally json) returns void
language plpgsql
as $$
declare
  t record;
begin
  select * into t
  from json_to_record(tally) as t("rootKey" text, workspace text, "ownerProvider" text, account text, counts json,
    hours json, used json, settled json);
  if t.counts is not null then
    insert into fleet_count as f (tenant_id, workspace, owner_provider, account, part, pending, running, waiting, asking)
    select tenant, t.workspace, t."ownerProvider", t.account, pg_backend_pid() % 64,
      c.pending, c.running, c.waiting, c.asking
    from json_to_record(t.counts) as c(pending bigint, running bigint, waiting bigint, asking bigint)
    on conflict (tenant_id, workspace, owner_provider, account, part) do update set
      pending = f.pending + excluded.pending, running = f.running + excluded.running,
      waiting = f.waiting + excluded.waiting, asking = f.asking + excluded.asking;
  end if;
  if t.hours is not null then
    insert into spend as s (tenant_id, hour, workspace, owner_provider, account, part, cost_micros, input_tokens,
      cached_input_tokens, output_tokens, completed, failed, canceled)
    select tenant, h.hour, t.workspace, t."ownerProvider", t.account,
      pg_backend_pid() % 64, h."costMicros", h."inputTokens", h."cachedInputTokens", h."outputTokens", h.completed,
      h.failed, h.canceled
    from json_to_recordset(t.hours) as h(hour timestamptz, "costMicros" bigint, "inputTokens" bigint,
      "cachedInputTokens" bigint, "outputTokens" bigint, completed bigint, failed bigint, canceled bigint)
    on conflict (tenant_id, hour, workspace, owner_provider, account, part) do update set
      cost_micros = s.cost_micros + excluded.cost_micros, input_tokens = s.input_tokens + excluded.input_tokens,
      cached_input_tokens = s.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = s.output_tokens + excluded.output_tokens, completed = s.completed + excluded.completed,
      failed = s.failed + excluded.failed, canceled = s.canceled + excluded.canceled;
  end if;
  if t.used is not null or t.settled is not null then
    perform add_usage(tenant, t."rootKey", t.workspace, t."ownerProvider", t.account, t.used, t.settled);
  end if;
end
$$;

grant execute on function add_to_fleet(uuid, json) to skein_server;
