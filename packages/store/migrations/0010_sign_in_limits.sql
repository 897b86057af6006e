-- How much of its sign-ins an address or a key has used up, shared by all servers (docs/adr/0018). There are as many rows
-- as slots, whoever tries whatever; a crash of the database may forget them. Reached through charge_sign_in only.
create unlogged table sign_in_level (
  slot int primary key,
  level double precision not null,
  measured_at timestamptz not null
);

-- Sessions of an account, whichever of its keys they stand for.
create index api_key_by_account on api_key (tenant_id, owner_provider, account);

-- An account keeps only its newest sessions.
grant delete on browser_session to skein_server;
