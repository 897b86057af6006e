-- People who sign in with an identity provider (docs/adr/0052).

-- Who signed in with which provider, and which account they have. A person is an issuer's subject; the account gets its
-- name at the first sign-in and keeps it. The key carries the role and is what their sessions stand for; nobody knows
-- its secret.
create table person (
  tenant_id uuid not null references tenant,
  identity_provider text collate "C" not null,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  account text not null,
  key_id text not null,
  created_at timestamptz not null,
  signed_in_at timestamptz not null,
  primary key (tenant_id, identity_provider, issuer, subject)
) with (fillfactor = 80);

create unique index person_account on person (tenant_id, account);
grant select, insert, update on person to skein_server;

-- Sign-ins that were finished, or tried: each can be finished once. Kept for as long as its cookie is valid.
create table finished_sign_in (
  tenant_id uuid not null references tenant,
  state_sha256 bytea primary key,
  expires_at timestamptz not null
);

create index finished_sign_in_by_end on finished_sign_in (expires_at);
grant select, insert on finished_sign_in to skein_server;

-- The provider's own name for the sign-in, to end it when the provider says so.
alter table browser_session add column provider_session text;

do $$
declare
  owned text;
begin
  foreach owned in array array['person', 'finished_sign_in'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
