-- Which transaction wrote an entry of the audit log, so that a watch neither misses nor repeats one (docs/adr/0067).

-- A constant first: entries that exist get it without being rewritten.
alter table audit add column xid xid8 not null default '1';
alter table audit alter column xid set default pg_current_xact_id();
