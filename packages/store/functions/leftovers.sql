-- Assigns the leftovers of agents that ended before a given time, each to one runner for a while, oldest first. For one
-- tenant, or for all if none is given. After ten attempts a leftover is no longer assigned.
create or replace function take_leftovers(
  of_tenant uuid, of_pools text[], ended_before timestamptz, amount integer, hold_ms integer
) returns table (tenant_id uuid, agent_id uuid)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update leftover l set claimed_until = now() + make_interval(secs => hold_ms / 1000.0), attempts = l.attempts + 1
  where l.ctid = any (array(
    select d.ctid from leftover d
    where not d.is_removed and d.pool = any(of_pools) and d.ended_at <= ended_before
      and d.claimed_until < now() and d.attempts < 10
      and (of_tenant is null or d.tenant_id = of_tenant)
      -- What they hold is for the other cell.
      and d.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
    order by d.ended_at limit amount for update skip locked))
  returning l.tenant_id, l.agent_id;
end;

revoke all on function take_leftovers(uuid, text[], timestamptz, integer, integer) from public;
grant execute on function take_leftovers(uuid, text[], timestamptz, integer, integer) to skein_server;

-- Records what was removed, if the claim still holds: a later incarnation may have left something else.
create or replace function drop_leftovers(of_tenant uuid, of_pools text[], ids uuid[]) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update leftover l set is_removed = true, claimed_until = '-infinity'
  where l.agent_id = any(ids) and l.pool = any(of_pools) and l.claimed_until > now()
    and (of_tenant is null or l.tenant_id = of_tenant);
end;

revoke all on function drop_leftovers(uuid, text[], uuid[]) from public;
grant execute on function drop_leftovers(uuid, text[], uuid[]) to skein_server;
