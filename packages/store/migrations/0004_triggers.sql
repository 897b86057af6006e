-- Triggers: requests from other systems, and what became of them (docs/adr/0045).

-- One server at a time holds a trigger and applies its deliveries, in order. The token changes with the holder, and
-- every write of the holder checks it.
create table trigger_state (
  tenant_id uuid not null references tenant,
  trigger text collate "C" not null,
  -- When a server should take it: when a delivery is to be applied, or when its holder is overdue.
  due_at timestamptz not null default 'infinity',
  held_until timestamptz not null default '-infinity',
  token bigint not null default 0,
  -- The number of the newest delivery.
  newest bigint not null default 0,
  -- When the limit of requests in a minute would be free again if none came.
  free_at timestamptz not null default '-infinity',
  primary key (tenant_id, trigger)
) with (fillfactor = 50);

create index trigger_state_due on trigger_state (due_at) where due_at < 'infinity';
grant select, insert, update, delete on trigger_state to skein_server;

create table trigger_delivery (
  tenant_id uuid not null references tenant,
  trigger text collate "C" not null,
  -- In the order of arrival, with gaps.
  number bigint not null,
  id uuid not null,
  received_at timestamptz not null,
  -- What the sender calls it, or a digest of its body.
  sender_key text collate "C" not null,
  -- Of a body that is signed without its id: the same one again is a copy, whatever id it comes with.
  body_key bytea,
  -- The one that is applied again.
  redelivery_of uuid,
  -- Only of the newest thousand of a trigger.
  body bytea,
  headers jsonb not null default '{}',
  -- What is being done, decided once: killed in between, the next server does the same.
  plan jsonb,
  planned_at timestamptz,
  attempts integer not null default 0,
  -- PENDING, IGNORED, SPAWNED, SENT, REFUSED or FAILED.
  outcome text not null default 'PENDING',
  reason text not null default '',
  -- The name of the agent, if there is one.
  agent text not null default '',
  workspace text not null default '',
  account text not null default '',
  ended_at timestamptz,
  primary key (tenant_id, trigger, number)
);

create unique index trigger_delivery_id on trigger_delivery (tenant_id, trigger, id);
create unique index trigger_delivery_sender_key on trigger_delivery (tenant_id, trigger, sender_key);
create unique index trigger_delivery_body_key on trigger_delivery (tenant_id, trigger, body_key)
  where body_key is not null;
create index trigger_delivery_pending on trigger_delivery (tenant_id, trigger, number) where ended_at is null;
create index trigger_delivery_by_age on trigger_delivery (received_at);
grant select, insert, update, delete on trigger_delivery to skein_server;

-- Agents that a trigger started and that were alive when it last looked: at most as many as its limit.
create table trigger_agent (
  tenant_id uuid not null references tenant,
  trigger text collate "C" not null,
  agent_key text collate "C" not null,
  primary key (tenant_id, trigger, agent_key)
);

grant select, insert, update, delete on trigger_agent to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['trigger_state', 'trigger_delivery', 'trigger_agent'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
