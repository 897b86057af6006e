-- Schedules (docs/adr/0046). What a schedule says is in the catalog; here is what the servers know about it.

-- When each schedule has to be looked at next: because a firing is due, waits for its turn or is tried again, or
-- because the server that claimed it may have died.
create table schedule_timer (
  tenant_id uuid not null references tenant,
  name text collate "C" not null,
  -- Where an interval without a start begins.
  anchored_at timestamptz not null,
  -- All firings due up to this time are recorded, or were left out for good.
  decided_until timestamptz not null,
  due_at timestamptz not null,
  -- Increases with each claim and each change of the schedule. Whoever holds an older one may no longer write.
  token bigint not null default 1,
  primary key (tenant_id, name)
) with (fillfactor = 60);

create index schedule_timer_due on schedule_timer (tenant_id, due_at);
grant select, insert, update, delete on schedule_timer to skein_server;

-- When each tenant has its next turn: not later than its earliest due_at in schedule_timer. Updated after it, in the
-- same transaction, and also if nothing changes: the lock makes a claim wait for what it would not see.
create table schedule_turn (
  tenant_id uuid primary key references tenant,
  due_at timestamptz not null
) with (fillfactor = 60);

create index schedule_turn_due on schedule_turn (due_at);
grant select, insert, update on schedule_turn to skein_server;

-- Each time a schedule fired, or should have fired.
create table schedule_firing (
  tenant_id uuid not null references tenant,
  schedule text collate "C" not null,
  -- The time that the schedule names. A run by hand has the time of the request.
  due_at timestamptz not null,
  is_manual boolean not null,
  outcome text not null,
  -- The version of the schedule that it is carried out with, once that is decided.
  generation bigint not null default 0,
  -- The agent it started or sent to, as its key, and as its workspace and path.
  agent_key text collate "C" not null default '',
  agent text not null default '',
  -- The agent that is killed first.
  replaces text not null default '',
  detail text not null default '',
  attempts integer not null default 0,
  -- Not tried again before this time.
  retry_at timestamptz not null default '-infinity',
  created_at timestamptz not null,
  -- When it was decided to carry it out, and when that was done.
  started_at timestamptz,
  ended_at timestamptz,
  primary key (tenant_id, schedule, due_at)
) with (fillfactor = 80);

create index schedule_firing_open on schedule_firing (tenant_id, schedule, due_at)
  where outcome in ('pending', 'waiting', 'starting');
create index schedule_firing_with_agent on schedule_firing (tenant_id, schedule, due_at) where agent_key <> '';
create index schedule_firing_by_age on schedule_firing (created_at);
grant select, insert, update on schedule_firing to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['schedule_timer', 'schedule_turn', 'schedule_firing'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
