-- Operators suspend and delete tenants over HTTP (docs/adr/0066).

alter table tenant
  -- Set while it is suspended: no key works, no run is claimed, and automations pause.
  add column suspended_at timestamptz,
  -- Set while servers delete it: when one of them takes the next step.
  add column delete_at timestamptz,
  -- Whether what its runners hold is left where it is when it is deleted.
  add column abandons_leftovers boolean not null default false,
  -- When no table had a row of it any more.
  add column emptied_at timestamptz;

create index tenant_suspended on tenant (id) where suspended_at is not null;
create index tenant_deleted on tenant (delete_at) where delete_at is not null;
