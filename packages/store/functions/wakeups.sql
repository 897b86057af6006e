-- Pools with a retry whose back-off has just ended.
create or replace function pools_with_retries(since timestamptz) returns table (tenant_id uuid, pool text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct r.tenant_id, r.pool from run r
  where not r.is_leased and r.attempt > 1 and r.available_at > since and r.available_at <= now();
end;

revoke all on function pools_with_retries(timestamptz) from public;
grant execute on function pools_with_retries(timestamptz) to skein_server;

-- Which of these agents changed since then: the safety net for lost wake-ups, one query for all waiters.
create or replace function agents_changed_since(agent_ids uuid[], since timestamptz) returns table (agent_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select a.id from agent a where a.id = any(agent_ids) and a.updated_at >= since;
end;

revoke all on function agents_changed_since(uuid[], timestamptz) from public;
grant execute on function agents_changed_since(uuid[], timestamptz) to skein_server;
