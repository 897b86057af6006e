-- What the sign-in page offers before anybody signed in: the identity providers of tenants with this organization's name.
-- Several tenants can have it, of different providers.
create or replace function sign_in_providers(wanted_org text) returns table (
  tenant_provider text,
  tenant_org text,
  name text,
  document json
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.provider, t.org, r.name, r.document
  from tenant t join resource r on r.tenant_id = t.id
  -- Named, so that the index of tenants serves.
  where t.provider in (
      'PROVIDER_CODEHOST_OAUTH', 'PROVIDER_CODEHOST_APP', 'PROVIDER_IDP_OIDC', 'PROVIDER_SERVICE_PROFILE')
    and t.org = wanted_org and t.closed_at is null
    -- As find_tenant: one that has left for another cell cannot be signed in to here.
    and coalesce(t.move_step in ('copying', 'draining'), true)
    and r.kind = 'identity-provider' and r.document is not null
  order by t.provider, r.name
  limit 50;
end;

revoke all on function sign_in_providers(text) from public;
grant execute on function sign_in_providers(text) to skein_server;
