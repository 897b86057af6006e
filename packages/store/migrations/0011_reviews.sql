-- Reviews of pull requests go back to their agents (docs/adr/0051).

-- One server at a time holds a pull request. The token changes with the holder, and every write of the holder checks it.
alter table pull_request
  -- The newest commit of its branch, when last looked at.
  add column commit text not null default '',
  add column is_conflicting boolean not null default false,
  add column token bigint not null default 0,
  add column held_until timestamptz not null default '-infinity',
  -- How many webhooks were about it, when the newest came, and when the first came that nobody has looked into.
  add column stirs bigint not null default 0,
  add column stirred_at timestamptz not null default '-infinity',
  add column stirred_since timestamptz,
  -- Where its review stands. Empty before the first look.
  add column review jsonb not null default '{}';

create index pull_request_place on pull_request (tenant_id, code_host, lower(owner), lower(repository))
  where state <> 'merged';

-- Webhooks of code hosts. What they say is read from the host, so only that they came is kept.
create table code_host_delivery (
  tenant_id uuid not null references tenant,
  code_host text collate "C" not null,
  -- What the host calls it, or a digest of its body.
  sender_key text collate "C" not null,
  -- Only the body is signed: the same one again is a copy, whatever id it comes with.
  body_key bytea not null,
  received_at timestamptz not null default now(),
  primary key (tenant_id, code_host, sender_key)
);

create unique index code_host_delivery_body on code_host_delivery (tenant_id, code_host, body_key);
create index code_host_delivery_by_age on code_host_delivery (received_at);
grant select, insert, delete on code_host_delivery to skein_server;

-- Threads of pull requests that were given to agents, and their answers.
create table review_thread (
  tenant_id uuid not null references tenant,
  pull_request text collate "C" not null,
  thread text collate "C" not null,
  -- Where on the host an answer goes.
  place jsonb not null,
  author text not null,
  -- Comments that the agent has.
  seen text[] not null,
  round integer not null,
  delivered_at timestamptz not null,
  -- The newest answer; its id is in what is posted.
  answer text,
  answer_id uuid,
  resolves boolean not null default false,
  posted_at timestamptz,
  -- Why the host refused it; else empty.
  problem text not null default '',
  primary key (tenant_id, pull_request, thread)
);

grant select, insert, update, delete on review_thread to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['code_host_delivery', 'review_thread'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
