-- How much the diffs of a tenant take, so that there is a limit (docs/adr/0055). 0 for those of older servers: they are
-- the oldest, and go first.
alter table diff add column bytes bigint not null default 0;

create index diff_by_age on diff (tenant_id, created_at, agent_id, id) include (bytes);
