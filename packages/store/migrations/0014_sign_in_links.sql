-- Links that sign a browser in once, for a few minutes (docs/adr/0018). Like a session, one stands for a key and has no
-- rights of its own; only a SHA-256 of what it holds is here.
create table sign_in_link (
  id uuid primary key,
  tenant_id uuid not null references tenant,
  key_id text not null,
  secret_sha256 bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index sign_in_link_by_key on sign_in_link (key_id);
create index sign_in_link_by_end on sign_in_link (expires_at);

alter table sign_in_link enable row level security;
create policy own_tenant on sign_in_link to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, delete on sign_in_link to skein_server;
