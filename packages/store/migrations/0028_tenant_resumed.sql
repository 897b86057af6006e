-- Runs that runners let go of while their tenant was suspended are paused, even if it was resumed since (docs/adr/0066).

alter table tenant
  -- When it was last resumed.
  add column resumed_at timestamptz;

-- Nothing of a tenant that is being deleted is handed out, as of a suspended one.
update tenant set suspended_at = closed_at where closed_at is not null and suspended_at is null;
