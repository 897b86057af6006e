-- Redeems a sign-in link before the tenant is known, only by the full digest of its 256 random bits, and returns its key.
-- Of two concurrent attempts, one succeeds.
create or replace function take_sign_in_link(wanted_sha256 bytea, at timestamptz) returns text
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with taken as (
    delete from sign_in_link l where l.secret_sha256 = wanted_sha256 returning l.key_id, l.expires_at
  )
  select key_id from taken where expires_at > at;
end;

revoke all on function take_sign_in_link(bytea, timestamptz) from public;
grant execute on function take_sign_in_link(bytea, timestamptz) to skein_server;
