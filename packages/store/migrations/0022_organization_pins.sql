-- Which organization of a code host a name in an identity provider's document means (docs/adr/0061): a name can be given
-- to another one later, its number cannot.
create table organization_pin (
  tenant_id uuid not null references tenant,
  identity_provider text collate "C" not null,
  issuer text collate "C" not null,
  organization text collate "C" not null,
  host_id text not null,
  primary key (tenant_id, identity_provider, issuer, organization)
);

grant select, insert, delete on organization_pin to skein_server;
alter table organization_pin enable row level security;
create policy own_tenant on organization_pin to skein_server using (tenant_id = skein_current_tenant());
