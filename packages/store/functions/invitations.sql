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
