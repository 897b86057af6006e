-- Usage by the hour, and budgets over calendar months (docs/adr/0063).

-- What models cost and read and wrote, per hour, in whose name and with what. Split by connection, like `spend`.
create table usage (
  tenant_id uuid not null references tenant,
  hour timestamptz not null,
  workspace text collate "C" not null,
  owner_provider text not null,
  account text not null,
  persona text collate "C" not null,
  model text collate "C" not null,
  part smallint not null,
  cost_micros bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (tenant_id, hour, workspace, owner_provider, account, persona, model, part)
) with (fillfactor = 50);

create index usage_by_age on usage (hour);
grant select, insert, update on usage to skein_server;

-- The same once more for each label of the agent, so that it is not added up over labels.
create table usage_by_label (
  tenant_id uuid not null references tenant,
  hour timestamptz not null,
  label text collate "C" not null,
  value text collate "C" not null,
  workspace text collate "C" not null,
  part smallint not null,
  cost_micros bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (tenant_id, label, hour, value, workspace, part)
) with (fillfactor = 50);

create index usage_by_label_by_age on usage_by_label (hour);
grant select, insert, update on usage_by_label to skein_server;

-- The documents of kind `budget`, as a model call asks for them. Written in the same transaction.
create table budget (
  tenant_id uuid not null references tenant,
  name text collate "C" not null,
  -- tenant, team, account or label.
  scope text not null,
  -- The team, provider/account, or the label's name.
  subject text collate "C" not null,
  label_value text collate "C" not null,
  amount_micros bigint not null,
  is_hard boolean not null,
  -- When each calendar month of its time zone begins, from the month in which it was written.
  month_starts timestamptz[] not null,
  primary key (tenant_id, name)
);

grant select, insert, update, delete on budget to skein_server;

-- What a month has used of a budget: settled, and reserved by calls in flight. Only the sum of the parts means something:
-- a reservation can be released by another connection than the one that made it.
create table budget_spend (
  tenant_id uuid not null references tenant,
  budget text collate "C" not null,
  month timestamptz not null,
  part smallint not null,
  spent_micros bigint not null,
  reserved_micros bigint not null,
  primary key (tenant_id, budget, month, part)
) with (fillfactor = 50);

create index budget_spend_by_age on budget_spend (month);
grant select, insert, update, delete on budget_spend to skein_server;

-- The call that an agent makes: it has one at a time.
create table budget_reservation (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  budget text collate "C" not null,
  month timestamptz not null,
  amount_micros bigint not null,
  expires_at timestamptz not null,
  primary key (agent_id, budget)
);

create index budget_reservation_by_expiry on budget_reservation (expires_at);
create index budget_reservation_by_budget on budget_reservation (tenant_id, budget);
grant select, insert, update, delete on budget_reservation to skein_server;

-- Agents whose call a budget refused, until there is room for it.
create table budget_hold (
  tenant_id uuid not null references tenant,
  agent_id uuid primary key,
  agent_key text not null,
  root_key text not null,
  run_id bigint not null,
  attempt integer not null,
  budget text collate "C" not null,
  need_micros bigint not null,
  created_at timestamptz not null
);

create index budget_hold_by_budget on budget_hold (tenant_id, budget, created_at);
grant select, insert, update, delete on budget_hold to skein_server;

-- Budgets that were spent from a moment ago: somebody has to look whether a level was reached. Written every few seconds
-- at most.
create table budget_watch (
  tenant_id uuid not null references tenant,
  budget text collate "C" not null,
  touched_at timestamptz not null,
  primary key (tenant_id, budget)
);

create index budget_watch_by_time on budget_watch (touched_at);
grant select, insert, update, delete on budget_watch to skein_server;

-- The highest level that people were told about, in its newest month.
create table budget_notice (
  tenant_id uuid not null references tenant,
  budget text collate "C" not null,
  month timestamptz not null,
  percent smallint not null,
  -- What the budget was then.
  amount_micros bigint not null,
  primary key (tenant_id, budget)
);

grant select, insert, update, delete on budget_notice to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['usage', 'usage_by_label', 'budget', 'budget_spend', 'budget_reservation', 'budget_hold',
    'budget_watch', 'budget_notice'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
