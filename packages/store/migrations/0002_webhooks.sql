-- Webhooks: what is on its way to integrations, and what became of it (docs/adr/0044).

-- How far a tenant's outbox has been read for its integrations. A tenant without any has no row.
create table outbox_reader (
  tenant_id uuid primary key references tenant,
  xid xid8 not null,
  id bigint not null,
  -- Rows up to here came with a copy of another database, whose transaction ids mean nothing in this one.
  floor_id bigint not null default 0,
  -- When a server last looked for something to read.
  looked_at timestamptz not null
) with (fillfactor = 50);

create index outbox_reader_by_look on outbox_reader (looked_at);
grant select, insert, update, delete on outbox_reader to skein_server;

-- Where an integration's events are sent. One server at a time holds an endpoint and sends to it; the token changes
-- with the holder, and every write of the holder checks it.
create table endpoint (
  tenant_id uuid not null references tenant,
  integration text collate "C" not null,
  -- When a server should take it: when something is to be sent, or when its holder is overdue.
  due_at timestamptz not null default 'infinity',
  held_until timestamptz not null default '-infinity',
  token bigint not null default 0,
  -- Failed attempts in a row. From the fifth on, only one request at a time tests whether the receiver is back.
  failures integer not null default 0,
  failing_since timestamptz,
  delivered_at timestamptz,
  disabled_at timestamptz,
  disabled_because text not null default '',
  -- A test event that somebody waits for.
  test_id uuid,
  primary key (tenant_id, integration)
) with (fillfactor = 50);

create index endpoint_due on endpoint (due_at) where due_at < 'infinity';
grant select, insert, update, delete on endpoint to skein_server;

-- The events of one agent on their way to one endpoint, in order: a range of its timeline, never a copy. Exists only
-- while something is to be sent. Each replay has its own lane, so that new events don't wait for it.
create table lane (
  tenant_id uuid not null references tenant,
  integration text collate "C" not null,
  agent_id uuid not null,
  -- Of live events: all zeros.
  replay_id uuid not null,
  next_sequence bigint not null,
  last_sequence bigint not null,
  -- Failed attempts to send the next event.
  attempts integer not null default 0,
  -- Since when the next event has been waiting.
  waiting_since timestamptz not null,
  due_at timestamptz not null,
  primary key (tenant_id, integration, agent_id, replay_id)
) with (fillfactor = 70);

create index lane_due on lane (tenant_id, integration, due_at);
create index lane_by_age on lane (tenant_id, integration, waiting_since);
grant select, insert, update, delete on lane to skein_server;

-- Every request that was sent, with the beginning of its response.
create table delivery (
  tenant_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  integration text collate "C" not null,
  agent_id uuid not null,
  sequence bigint not null,
  event_type text not null,
  attempt integer not null,
  -- 0 if there was no response.
  status integer not null,
  -- Why it failed; empty if it was delivered.
  error text not null,
  latency_ms integer not null,
  response text not null,
  primary key (tenant_id, integration, created_at, id)
) partition by range (created_at);

grant select, insert on delivery to skein_server;

-- Ranges that were given up after three days of retries.
create table dead_letter (
  tenant_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  integration text collate "C" not null,
  agent_id uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  error text not null,
  primary key (tenant_id, integration, created_at, id)
) partition by range (created_at);

grant select, insert on dead_letter to skein_server;

insert into partition_plan (parent, unit) values ('delivery', 'day'), ('dead_letter', 'day');
create table delivery_default partition of delivery default;
create table dead_letter_default partition of dead_letter default;

do $$
declare
  owned text;
  part regclass;
begin
  foreach owned in array array['outbox_reader', 'endpoint', 'lane', 'delivery', 'dead_letter'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
    for part in select i.inhrelid::regclass from pg_inherits i where i.inhparent = owned::regclass loop
      execute format('alter table %s enable row level security', part);
    end loop;
  end loop;
end
$$;
