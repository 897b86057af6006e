-- People who sign in with their code host, and accounts that belong to one person (docs/adr/0061).

-- The provider of a person's account. The same name can belong to one person of each.
alter table person add column owner_provider text not null default 'PROVIDER_IDP_OIDC';
create unique index person_owned_account on person (tenant_id, owner_provider, account);
drop index person_account;

-- What lets us act for a person at their code host: sealed, and forgotten when they sign out.
create table person_grant (
  tenant_id uuid not null references tenant,
  identity_provider text collate "C" not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  sealed text not null,
  -- Changes whenever the grant does. A write of somebody who read an older one has no effect.
  version bigint not null,
  -- One server at a time renews it. The others wait until then.
  held_until timestamptz not null default '-infinity',
  -- When a server should ask whether the person still belongs to the organization.
  check_at timestamptz not null,
  -- Until then it is kept although the person has no session.
  keep_until timestamptz not null,
  primary key (tenant_id, identity_provider, issuer, subject)
) with (fillfactor = 70);

create index person_grant_due on person_grant (check_at);
grant select, insert, update, delete on person_grant to skein_server;

alter table person_grant enable row level security;
create policy own_tenant on person_grant to skein_server using (tenant_id = skein_current_tenant());

-- To end what an identity provider ends, without reading everybody's sessions.
create index browser_session_by_provider on browser_session (tenant_id, provider_session)
  where provider_session is not null and revoked_at is null;

-- The larger network of an address that waits to be confirmed: whoever has one has many addresses.
alter table login add column network text not null default '';
create index login_by_network on login (network, expires_at);
