-- Finds the tenant of an invitation before anybody is known, only by the full digest of its 256 random bits.
create or replace function find_invitation(wanted_sha256 bytea, at timestamptz) returns table (tenant_id uuid, id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select i.tenant_id, i.id from invitation i
  where i.secret_sha256 = wanted_sha256 and i.ended_at is null and i.expires_at > at
    and exists (select from tenant t where t.id = i.tenant_id and t.closed_at is null
      and t.suspended_at is null);
end;

revoke all on function find_invitation(bytea, timestamptz) from public;
grant execute on function find_invitation(bytea, timestamptz) to skein_server;

-- Gives mails with links to one server for a while. `busy` are tenants for which this server already does as much as it may.
create or replace function take_due_invitation_mails(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, id uuid, token bigint
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update invitation i set mail_token = i.mail_token + 1,
    -- If the holder dies, it is due when its time is over.
    mail_due_at = now() + make_interval(secs => hold_ms / 1000.0)
  where i.ctid = any (array(
    select d.ctid from invitation d
    where d.mail_due_at is not null and d.ended_at is null and d.mail_due_at <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.mail_due_at limit amount for update skip locked))
  returning i.tenant_id, i.id, i.mail_token;
end;

revoke all on function take_due_invitation_mails(integer, integer, uuid[]) from public;
grant execute on function take_due_invitation_mails(integer, integer, uuid[]) to skein_server;

-- Deletes invitations that expired, or would have, before a given time. Returns how many.
create or replace function remove_expired_invitations(expired_before timestamptz, amount integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  removed bigint;
begin
  delete from invitation i where i.ctid = any (array(
    select o.ctid from invitation o where o.expires_at < expired_before limit amount));
  get diagnostics removed = row_count;
  return removed;
end
$$;

revoke all on function remove_expired_invitations(timestamptz, integer) from public;
grant execute on function remove_expired_invitations(timestamptz, integer) to skein_server;
