-- What automations of all tenants have to do, as one server last counted it for the metrics of all (docs/adr/0040). One
-- row.
create table automation_totals (
  is_only boolean primary key default true check (is_only),
  counted_at timestamptz not null default '-infinity',
  totals jsonb not null default '{}'
);

insert into automation_totals default values;

-- Integrations that Skein disabled: few, and only these are in the index.
create index endpoint_disabled on endpoint (disabled_at) where disabled_at is not null;
