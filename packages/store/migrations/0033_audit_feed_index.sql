-- In a file of its own, because the one before needs the lock that nobody can read beside. Older entries, which have the
-- number 1, are not in it: a watch reads them by time, so they need only be looked through once, here.
create index audit_feed on audit (tenant_id, xid, id) where xid > '1';
