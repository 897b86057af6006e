-- Calls to code hosts, and the pull requests on them (docs/adr/0050).

-- What a server with a way out is to ask a code host. Whoever wants the answer waits for this row. One server at a time
-- holds it; the token changes with the holder, and every write of the holder checks it.
create table code_host_call (
  tenant_id uuid not null references tenant,
  id uuid not null,
  -- What it is about: while it waits, whoever wants the same waits for the same row.
  key text collate "C" not null,
  code_host text collate "C" not null,
  request jsonb not null,
  created_at timestamptz not null default now(),
  -- When a server should take it, or when its holder is overdue.
  due_at timestamptz not null default now(),
  token bigint not null default 0,
  attempts integer not null default 0,
  -- PENDING, DONE, REFUSED or FAILED.
  outcome text not null default 'PENDING',
  -- Why it was refused, or failed the last time.
  reason text not null default '',
  -- The answer. It can be a credential, so it is sealed and soon deleted.
  sealed text,
  ended_at timestamptz,
  primary key (tenant_id, id)
) with (fillfactor = 50);

create unique index code_host_call_key on code_host_call (tenant_id, key) where ended_at is null;
create index code_host_call_due on code_host_call (due_at) where ended_at is null;
create index code_host_call_by_age on code_host_call (created_at);
grant select, insert, update, delete on code_host_call to skein_server;

-- Pull requests that agents opened, as their code hosts last described them.
create table pull_request (
  tenant_id uuid not null references tenant,
  name text collate "C" not null,
  agent_id uuid not null,
  workspace text not null,
  account text not null,
  -- The path of the agent.
  agent text not null,
  code_host text collate "C" not null,
  owner text not null,
  repository text not null,
  number integer not null,
  url text not null,
  title text not null,
  -- open, closed or merged.
  state text not null,
  is_draft boolean not null,
  head text not null,
  base text not null,
  created_at timestamptz not null,
  -- When something of this last changed.
  updated_at timestamptz not null,
  -- When a server should look at it again.
  look_at timestamptz not null,
  primary key (tenant_id, name)
) with (fillfactor = 80);

create index pull_request_of_agent on pull_request (tenant_id, agent_id);
create index pull_request_due on pull_request (look_at) where look_at < 'infinity';
create index pull_request_by_age on pull_request (updated_at) where state <> 'open';
grant select, insert, update, delete on pull_request to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['code_host_call', 'pull_request'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
