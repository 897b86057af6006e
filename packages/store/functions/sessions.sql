-- Deletes sessions of all tenants that ended a while ago, and expired sign-in links, finished sign-ins and logins.
create or replace function delete_ended_sessions() returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  delete from browser_session where expires_at < now() - interval '30 days';
  delete from sign_in_link where expires_at < now() - interval '1 day';
  delete from finished_sign_in where expires_at < now() - interval '1 hour';
  delete from login where expires_at < now();
end;

revoke all on function delete_ended_sessions() from public;
grant execute on function delete_ended_sessions() to skein_server;
