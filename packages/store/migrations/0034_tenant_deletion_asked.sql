-- What runners failed to remove for a tenant that is being deleted is tried again when the deletion is asked for again.

alter table tenant
  -- When its deletion was last asked for.
  add column delete_asked_at timestamptz;
