-- Gives grants of people that are to be checked to one server for a while.
create or replace function take_due_person_grants(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, identity_provider text, issuer text, subject text
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  -- If the holder dies, it is due when its time is over.
  update person_grant g set check_at = now() + make_interval(secs => hold_ms / 1000.0)
  where g.ctid = any (array(
    select d.ctid from person_grant d where d.check_at <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.check_at limit amount for update skip locked))
  returning g.tenant_id, g.identity_provider, g.issuer, g.subject;
end;

revoke all on function take_due_person_grants(integer, integer, uuid[]) from public;
grant execute on function take_due_person_grants(integer, integer, uuid[]) to skein_server;
