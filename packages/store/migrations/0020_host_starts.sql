-- Issues and pull requests start agents (docs/adr/0060).

-- Repositories whose workspace lets people start agents from them. Names are in lower case: hosts don't distinguish.
create table host_watch (
  tenant_id uuid not null references tenant,
  workspace text collate "C" not null,
  code_host text collate "C" not null,
  owner text collate "C" not null,
  repository text collate "C" not null,
  -- What happened before this starts nothing.
  since timestamptz not null default now(),
  -- All issues that changed before this were found, by webhooks or without them.
  read_until timestamptz not null default now(),
  look_at timestamptz not null default now(),
  held_until timestamptz not null default '-infinity',
  -- Changes with the holder; every write of the holder checks it.
  token bigint not null default 0,
  failures integer not null default 0,
  -- Why its issues could not be listed; else empty.
  problem text not null default '',
  primary key (tenant_id, workspace, code_host, owner, repository)
) with (fillfactor = 50);

create index host_watch_place on host_watch (tenant_id, code_host, owner, repository);
create index host_watch_due on host_watch (look_at);
grant select, insert, update, delete on host_watch to skein_server;

-- Issues and pull requests of these repositories that were looked at, or are to be. One server at a time holds one.
create table host_issue (
  tenant_id uuid not null references tenant,
  workspace text collate "C" not null,
  code_host text collate "C" not null,
  owner text collate "C" not null,
  repository text collate "C" not null,
  number integer not null,
  updated_at timestamptz not null default now(),
  look_at timestamptz not null,
  held_until timestamptz not null default '-infinity',
  token bigint not null default 0,
  -- How often somebody wanted it to be looked at.
  stirs bigint not null default 1,
  -- The agent that was started from it; else empty.
  agent_key text collate "C" not null default '',
  is_pull boolean not null default false,
  -- Where it stands. Empty before the first look.
  state jsonb not null default '{}',
  primary key (tenant_id, workspace, code_host, owner, repository, number)
) with (fillfactor = 50);

create index host_issue_due on host_issue (look_at) where look_at < 'infinity';
create index host_issue_of_agent on host_issue (tenant_id, agent_key) where agent_key <> '';
create index host_issue_by_age on host_issue (updated_at);
grant select, insert, update, delete on host_issue to skein_server;

-- Who started agents lately: for the limits, and for nothing else.
create table host_start (
  tenant_id uuid not null references tenant,
  id uuid not null,
  started_at timestamptz not null default now(),
  code_host text collate "C" not null,
  owner text collate "C" not null,
  repository text collate "C" not null,
  person text collate "C" not null,
  -- Whether it was refused: these are counted too, so that refusals have an end.
  is_refused boolean not null,
  primary key (tenant_id, id)
);

create index host_start_recent on host_start (tenant_id, started_at);
create index host_start_by_age on host_start (started_at);
grant select, insert, delete on host_start to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['host_watch', 'host_issue', 'host_start'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
