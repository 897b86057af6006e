-- What was spent before 0004 began to count it. Read beside the commands, which wait for none of it: the rows go into
-- a part that no connection has.
insert into spend
select a.tenant_id, date_trunc('hour', t.created_at, 'UTC'), a.workspace, a.owner_provider, a.account, 32,
  sum((t.event ->> 'costMicros')::bigint), sum((t.event ->> 'inputTokens')::bigint),
  sum((t.event ->> 'cachedInputTokens')::bigint), sum((t.event ->> 'outputTokens')::bigint), 0, 0, 0
from spend_counted_from f, timeline t join agent a on a.id = t.agent_id
where t.created_at > now() - interval '8 days' and t.event ->> 'type' = 'run.metered'
  -- Older than the first that was counted. By age, because the id of a row's transaction has no epoch.
  and age(t.xmin) > age(f.xid::xid)
group by a.tenant_id, date_trunc('hour', t.created_at, 'UTC'), a.workspace, a.owner_provider, a.account;

drop table spend_counted_from;

-- All levels of the trees, newest first. Last, because whoever writes agents waits from here to the end.
create index agent_fleet on agent (tenant_id, is_terminal, created_at desc, id desc);
create index agent_fleet_by_account
  on agent (tenant_id, owner_provider, account, is_terminal, created_at desc, id desc);
