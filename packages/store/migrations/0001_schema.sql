-- The schema, by subject: tenants and keys, the catalog, commands and audit, agents, runs, fleet totals, partitions,
-- row-level security, and the record of the schema itself.
--
-- Row-level security applies to every table with a tenant_id: the server's role sees only rows of the tenant that the
-- transaction is bound to, and none if it is bound to no tenant (docs/adr/0005).
--
-- Kinds, names and keys are sorted by byte, as in the server, so that both agree on where a page ends.
--
-- A fillfactor below 100 leaves room on the page, so that rows that change often are updated without touching indexes.

do $$
begin
  -- Roles belong to the cluster, so it may exist: created for another Skein database, or by an administrator
  -- because we may not create roles.
  if not exists (select from pg_roles where rolname = 'skein_server') then
    create role skein_server nologin;
  end if;
exception when duplicate_object or unique_violation then
  null;
end
$$;

grant usage on schema public to skein_server;
revoke create on schema public from public;

-- # Tenants and keys

create table tenant (
  id uuid primary key,
  provider text not null,
  org text not null,
  created_at timestamptz not null default now(),
  -- Set while it is being deleted: only its runners' keys still work.
  closed_at timestamptz,
  unique (provider, org)
);

grant select on tenant to skein_server;

-- API keys and keys of share links. Only a SHA-256 of the secret is stored (docs/adr/0008).
create table api_key (
  key_id text primary key,
  tenant_id uuid not null references tenant,
  prefix text not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  key_version integer not null,
  secret_sha256 bytea not null,
  owner_provider text not null,
  account text not null,
  role text not null,
  pools text[] not null,
  all_tenants boolean not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
);

create index api_key_by_resource on api_key (tenant_id, kind, name);
-- For the sessions of an account across all of its keys.
create index api_key_by_account on api_key (tenant_id, owner_provider, account);
grant select, insert, update on api_key to skein_server;

-- Browser sessions. A session has the rights of its key and ends with it. Keys are deleted only together with their
-- tenant, so no foreign key is needed. The cookie is valid only together with a secret held by the page; only a SHA-256
-- of each is stored (docs/adr/0018).
create table browser_session (
  id uuid primary key,
  tenant_id uuid not null references tenant,
  key_id text not null,
  secret_sha256 bytea not null unique,
  page_secret_sha256 bytea not null,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);

create index browser_session_by_key on browser_session (key_id);
create index browser_session_by_end on browser_session (expires_at);
-- Delete: an account keeps only its newest sessions.
grant select, insert, update, delete on browser_session to skein_server;

-- Single-use sign-in links, valid for a few minutes (docs/adr/0018). Like a session, a link has the rights of its key;
-- only a SHA-256 of its secret is stored.
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
grant select, insert, delete on sign_in_link to skein_server;

-- Sign-in rate limits per address and key, shared by all servers (docs/adr/0018). The number of slots is fixed, so an
-- attacker cannot add rows; the table may be lost in a crash. Accessed only through charge_sign_in.
create unlogged table sign_in_level (
  slot int primary key,
  level double precision not null,
  measured_at timestamptz not null
);

-- # The catalog

-- The current version of each resource. A deleted resource keeps its row, without a document, so that its generation
-- keeps increasing and a stale conditional write can never succeed on a resource created again.
create table resource (
  tenant_id uuid not null references tenant,
  kind text collate "C" not null,
  name text collate "C" not null,
  generation bigint not null,
  document json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (tenant_id, kind, name)
);

grant select, insert, update on resource to skein_server;

-- References between existing resources.
create table resource_reference (
  tenant_id uuid not null references tenant,
  from_kind text collate "C" not null,
  from_name text collate "C" not null,
  to_kind text collate "C" not null,
  to_name text collate "C" not null,
  primary key (tenant_id, from_kind, from_name, to_kind, to_name)
);

create index resource_reference_by_target on resource_reference (tenant_id, to_kind, to_name);
grant select, insert, delete on resource_reference to skein_server;

-- Every version of every resource, until its retention ends. Split by tenant, so that no index grows with the whole cell.
create table resource_version (
  tenant_id uuid not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  generation bigint not null,
  action text not null,
  document json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  justification text not null,
  primary key (tenant_id, kind, name, generation)
) partition by hash (tenant_id);

do $$
begin
  for remainder in 0..15 loop
    execute format(
      'create table resource_version_%s partition of resource_version for values with (modulus 16, remainder %s)',
      lpad(remainder::text, 2, '0'), remainder);
  end loop;
end
$$;

create index resource_version_by_age on resource_version (updated_at);
grant select, insert on resource_version to skein_server;

-- Secrets that the service has to use again, encrypted with a key that is not in the database.
create table sealed_value (
  tenant_id uuid not null references tenant,
  kind text collate "C" not null,
  name text collate "C" not null,
  version integer not null,
  sealed text not null,
  created_at timestamptz not null,
  primary key (tenant_id, kind, name, version)
);

grant select, insert, delete on sealed_value to skein_server;

-- # Commands and audit

-- Responses to commands sent with an idempotency key.
create table command (
  tenant_id uuid not null,
  id bytea not null,
  request_sha256 bytea not null,
  answer json not null,
  created_at timestamptz not null,
  primary key (tenant_id, id, created_at)
) partition by range (created_at);

grant select, insert on command to skein_server;

-- Who changed what; committed together with the change.
create table audit (
  tenant_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  operation text not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  generation bigint not null,
  owner_provider text not null,
  account text not null,
  role text not null,
  token text not null,
  justification text not null,
  request_id text not null,
  -- For a rejected key: where it was used from, and why it was rejected.
  address text not null default '',
  detail text not null default '',
  -- How often it happened, where one row stands for many occurrences.
  times bigint not null default 1,
  primary key (tenant_id, created_at, id)
) partition by range (created_at);

grant select, insert on audit to skein_server;

-- # Agents
--
-- All rows in this and the next section are derived from the events of packages/core. A tree of agents is locked by its
-- root's key, so only one transaction at a time writes rows of a tree.

create table agent (
  id uuid primary key,
  tenant_id uuid not null references tenant,
  key text collate "C" not null,
  root_key text collate "C" not null,
  parent_key text collate "C" not null,
  owner_provider text not null,
  account text not null,
  workspace text collate "C" not null,
  pool text collate "C" not null,
  -- In no index: each change of a phase would write every index of the agent.
  phase text not null,
  is_terminal boolean not null,
  labels jsonb not null,
  cost_micros bigint not null,
  state json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (tenant_id, key)
) with (fillfactor = 80);

-- One level of the trees, newest first.
create index agent_by_account on agent (tenant_id, parent_key, owner_provider, account, created_at desc, id desc);
create index agent_by_tenant on agent (tenant_id, parent_key, created_at desc, id desc);
create index agent_live_by_account on agent (tenant_id, parent_key, owner_provider, account, created_at desc, id desc)
  where not is_terminal;
create index agent_live_by_tenant on agent (tenant_id, parent_key, created_at desc, id desc) where not is_terminal;
-- All levels of the trees, newest first.
create index agent_fleet on agent (tenant_id, is_terminal, created_at desc, id desc);
create index agent_fleet_by_account
  on agent (tenant_id, owner_provider, account, is_terminal, created_at desc, id desc);
-- For deleting a pool or a workspace: the live agents in it.
create index agent_live_by_pool on agent (tenant_id, pool) where not is_terminal;
create index agent_live_by_workspace on agent (tenant_id, workspace) where not is_terminal;
grant select, insert, update on agent to skein_server;

-- The number of live agents, in parts, so that spawns of one tenant don't wait for each other.
create table live_agents (
  tenant_id uuid not null references tenant,
  part smallint not null,
  amount bigint not null,
  primary key (tenant_id, part)
) with (fillfactor = 50);

grant select, insert, update on live_agents to skein_server;

create table follow_up (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  follow_up_id text collate "C" not null,
  state text not null,
  body json not null,
  run_id bigint,
  position bigint not null,
  created_at timestamptz not null,
  -- The span that sent it, as in the header `traceparent`; null if nobody traces (docs/adr/0042).
  traceparent text,
  primary key (agent_id, follow_up_id)
) with (fillfactor = 90);

create index follow_up_pending on follow_up (agent_id, position) where state in ('QUEUED', 'DEFERRED');
create index follow_up_of_run on follow_up (agent_id, run_id, position) where run_id is not null;
grant select, insert, update on follow_up to skein_server;

-- The total size of pending messages, in parts, so that commands of one tenant don't wait for each other.
create table queued_bytes (
  tenant_id uuid not null references tenant,
  part smallint not null,
  amount bigint not null,
  primary key (tenant_id, part)
) with (fillfactor = 50);

grant select, insert, update on queued_bytes to skein_server;

-- When deferred messages are due.
create table timer (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  follow_up_id text collate "C" not null,
  agent_key text collate "C" not null,
  root_key text collate "C" not null,
  due_at timestamptz not null,
  claimed_until timestamptz not null default '-infinity',
  primary key (agent_id, follow_up_id)
) with (fillfactor = 70);

create index timer_due on timer (due_at);
grant select, insert, update, delete on timer to skein_server;

create table timeline (
  tenant_id uuid not null,
  agent_id uuid not null,
  sequence bigint not null,
  created_at timestamptz not null,
  actor text not null,
  event json not null,
  primary key (agent_id, sequence, created_at)
) partition by range (created_at);

grant select, insert on timeline to skein_server;

-- Which agents changed. Read in transaction order, up to the oldest transaction in progress, so that one that commits
-- late is never skipped (docs/adr/0017).
create table outbox (
  id bigint generated always as identity,
  tenant_id uuid not null,
  agent_id uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  created_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (id, created_at)
) partition by range (created_at);

create index outbox_feed on outbox (tenant_id, xid, id);
grant select, insert on outbox to skein_server;

-- Agents that have ended. First a runner removes their conversation and unfinished work; much later, whole trees are
-- deleted (docs/adr/0043).
create table leftover (
  agent_id uuid primary key,
  tenant_id uuid not null references tenant,
  pool text collate "C" not null,
  is_root boolean not null,
  ended_at timestamptz not null,
  -- Whether runners have removed all of its data.
  is_removed boolean not null,
  claimed_until timestamptz not null default '-infinity',
  -- How often a runner has tried to remove its data. After ten attempts, somebody has to look at it.
  attempts integer not null default 0
) with (fillfactor = 70);

create index leftover_by_age on leftover (pool, ended_at) where not is_removed;
create index leftover_expired on leftover (ended_at) where is_removed and is_root;
grant select, insert, update, delete on leftover to skein_server;

-- # Runs and runners

-- Queued and leased runs; at most one per agent.
create table run (
  agent_id uuid primary key,
  tenant_id uuid not null references tenant,
  agent_key text collate "C" not null,
  root_key text collate "C" not null,
  pool text collate "C" not null,
  run_id bigint not null,
  attempt integer not null,
  is_leased boolean not null,
  available_at timestamptz not null,
  -- The span that queued it: the parent of every attempt, as in the header `traceparent` (docs/adr/0042).
  traceparent text
) with (fillfactor = 70);

create index run_queued on run (tenant_id, pool, available_at) where not is_leased;
create index run_leased on run (tenant_id, pool) where is_leased;
-- Runs waiting for a retry: no event wakes a runner when their back-off ends.
create index run_retries on run (available_at) where not is_leased and attempt > 1;
grant select, insert, update, delete on run to skein_server;

-- The only table that heartbeats update. It has no index besides the key, so that updates stay on their page.
create table lease (
  agent_id uuid primary key,
  tenant_id uuid not null references tenant,
  run_id bigint not null,
  attempt integer not null,
  runner text not null,
  expires_at timestamptz not null
) with (fillfactor = 40);

grant select, insert, update, delete on lease to skein_server;

-- When a server last checked leases, by the database's clock: leases don't expire during an outage of all servers
-- (docs/adr/0028). One row.
create table service_contact (
  is_only boolean primary key default true check (is_only),
  seen_at timestamptz not null default now()
);

insert into service_contact default values;

-- The work of all tenants by pool, as one server last counted it for the metrics of all (docs/adr/0040). One row.
create table pool_totals (
  is_only boolean primary key default true check (is_only),
  counted_at timestamptz not null default '-infinity',
  -- The pools that were counted separately.
  named text[] not null default '{}',
  totals jsonb not null default '[]'
);

insert into pool_totals default values;

-- Which tenant's turn it is. Claims for one tenant are serialized, which makes its limits exact.
create table tenant_turn (
  tenant_id uuid primary key references tenant,
  last_served_at timestamptz not null
) with (fillfactor = 50);

-- What each runner last reported when it polled. Rows of runners not seen for a day are deleted.
create table runner (
  tenant_id uuid not null references tenant,
  token text collate "C" not null,
  name text collate "C" not null,
  pools text[] not null,
  all_tenants boolean not null,
  offers jsonb not null,
  seen_at timestamptz not null,
  primary key (tenant_id, token, name)
) with (fillfactor = 70);

-- There are few rows, and an index on the time would be written by every poll.
create index runner_of_all_tenants on runner (tenant_id) where all_tenants;
grant select, insert, update, delete on runner to skein_server;

-- # Fleet totals
--
-- Updated by commands, in parts by connection, so that no command waits for another's commit (docs/adr/0017).

-- The number of live agents in each phase.
create table fleet_count (
  tenant_id uuid not null references tenant,
  workspace text collate "C" not null,
  owner_provider text not null,
  account text not null,
  part smallint not null,
  pending bigint not null,
  running bigint not null,
  waiting bigint not null,
  asking bigint not null,
  primary key (tenant_id, workspace, owner_provider, account, part)
) with (fillfactor = 50);

grant select, insert, update on fleet_count to skein_server;

-- Spending and ended agents per hour.
create table spend (
  tenant_id uuid not null references tenant,
  hour timestamptz not null,
  workspace text collate "C" not null,
  owner_provider text not null,
  account text not null,
  part smallint not null,
  cost_micros bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  completed bigint not null,
  failed bigint not null,
  canceled bigint not null,
  primary key (tenant_id, hour, workspace, owner_provider, account, part)
) with (fillfactor = 50);

create index spend_by_age on spend (hour);
grant select, insert, update on spend to skein_server;

-- # Partitions by time

-- Which tables are partitioned by time, and how finely. maintain_partitions makes the partitions.
create table partition_plan (
  parent text primary key,
  unit text not null check (unit in ('day', 'month'))
);

insert into partition_plan (parent, unit)
values ('audit', 'month'), ('command', 'day'), ('outbox', 'day'), ('timeline', 'month');

-- For rows without a partition of their own, so that missed maintenance never fails a write.
create table audit_default partition of audit default;
create table command_default partition of command default;
create table outbox_default partition of outbox default;
create table timeline_default partition of timeline default;

-- # Row-level security

-- The tenant that the current transaction is bound to; null if none. The only function that is not in
-- packages/store/functions, because the policies need it first.
create function skein_current_tenant() returns uuid
language sql stable parallel safe
return nullif(current_setting('skein.tenant', true), '')::uuid;

alter table tenant enable row level security;
create policy own_tenant on tenant to skein_server using (id = skein_current_tenant());

do $$
declare
  owned text;
  part regclass;
begin
  foreach owned in array array[
    'api_key', 'browser_session', 'sign_in_link',
    'resource', 'resource_reference', 'resource_version', 'sealed_value',
    'command', 'audit',
    'agent', 'live_agents', 'follow_up', 'queued_bytes', 'timer', 'timeline', 'outbox', 'leftover',
    'run', 'lease', 'tenant_turn', 'runner',
    'fleet_count', 'spend'
  ] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
    -- No policy: partitions are accessed only through their parents.
    for part in select i.inhrelid::regclass from pg_inherits i where i.inhparent = owned::regclass loop
      execute format('alter table %s enable row level security', part);
    end loop;
  end loop;
end
$$;

-- # The record of the schema itself

-- The function sets applied to this database, the newest last (docs/adr/0007).
create table skein_function_set (
  number int generated always as identity primary key,
  checksum text not null unique,
  applied_at timestamptz not null default now()
);

-- A server reads them to decide whether it is ready.
grant select on skein_migration, skein_function_set to skein_server;
