-- Assigns due messages, each to one server for a while, earliest first. Uses the calling server's clock, as the rules do.
-- Updates by `ctid`, which avoids a join that would be planned while the table is small.
create or replace function take_due_timers(amount integer, at timestamptz) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, follow_up_id text
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with taken as (
    update timer t set claimed_until = now() + interval '5 seconds'
    where t.ctid = any (array(
      select d.ctid from timer d where d.due_at <= at and d.claimed_until < now()
        and d.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
      order by d.due_at limit amount for update skip locked))
    returning t.tenant_id, t.agent_id, t.agent_key, t.root_key, t.follow_up_id, t.due_at
  )
  select k.tenant_id, k.agent_id, k.agent_key, k.root_key, k.follow_up_id from taken k order by k.due_at;
end;

revoke all on function take_due_timers(integer, timestamptz) from public;
grant execute on function take_due_timers(integer, timestamptz) to skein_server;
