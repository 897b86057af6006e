-- Finds a tenant by name for an operator; not one that is being deleted. The server calls it only after checking the role.
create or replace function find_tenant(wanted_provider text, wanted_org text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.id from tenant t where t.provider = wanted_provider and t.org = wanted_org and t.closed_at is null;
end;

revoke all on function find_tenant(text, text) from public;
grant execute on function find_tenant(text, text) to skein_server;
