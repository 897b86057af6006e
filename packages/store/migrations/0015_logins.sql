-- The command line signs in through the browser (docs/adr/0056).

-- A session is a browser's or a command line's. That of a command line has no cookie: the service seals its keys, and
-- counts how often they were renewed, so that an older renewal key is recognised.
alter table browser_session
  add column kind text not null default 'browser',
  add column renewals integer not null default 0,
  add column renewed_at timestamptz,
  alter column secret_sha256 drop not null,
  alter column page_secret_sha256 drop not null;

-- Command lines that wait for a person to confirm them. Nobody knows whose they are until then, so they have no tenant,
-- and servers reach them only through functions. They end after a few minutes.
create table login (
  id uuid primary key,
  -- What a person types, as a keyed digest; null if the browser is sent to a port of its own machine instead.
  user_code bytea unique,
  port integer,
  code_challenge text not null,
  host_name text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  polled_at timestamptz,
  interval_seconds integer not null,
  decided_at timestamptz,
  -- Of the person who confirmed; null if they refused.
  key_id text,
  -- Where they confirmed. The login ends with it.
  session_id uuid,
  session_ends_at timestamptz,
  provider_session text,
  code_sha256 bytea
);

create index login_by_end on login (expires_at);
create index login_by_address on login (address, expires_at);
