-- Invitations for people of tenants without an identity provider (docs/adr/0065).
create table invitation (
  tenant_id uuid not null references tenant,
  id uuid not null,
  -- Of the code in the link, which is shown once.
  secret_sha256 bytea not null,
  -- Of the account to be.
  owner_provider text not null,
  role text not null,
  -- Empty for none.
  team text collate "C" not null,
  description text not null,
  -- The account of the admin who invites.
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When it was accepted or revoked.
  ended_at timestamptz,
  -- Who accepted it; empty if nobody did.
  account text not null default '',
  primary key (tenant_id, id)
);

create unique index invitation_by_secret on invitation (secret_sha256);
create index invitation_by_time on invitation (tenant_id, created_at desc, id desc);
create index invitation_open on invitation (tenant_id, expires_at) where ended_at is null;
create index invitation_by_end on invitation (expires_at);
grant select, insert, update, delete on invitation to skein_server;

alter table invitation enable row level security;
create policy own_tenant on invitation to skein_server using (tenant_id = skein_current_tenant());
