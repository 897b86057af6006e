-- Claims find the next tenant and check its limits without visiting all tenants or counting all runs
-- (packages/store/functions/claim_permitted_runs.sql).

alter table tenant_turn
  -- Whether runs may be waiting: claims visit only these. True until a claim has found none.
  add column is_waiting boolean not null default true,
  -- No more runs are leased than this, in total and by pool. Ends of runs are not subtracted: a claim counts again when
  -- it comes near a limit. Null if they were never counted.
  add column leased_at_most integer,
  add column pools_leased_at_most jsonb not null default '{}';

insert into tenant_turn (tenant_id, last_served_at) select id, '-infinity' from tenant on conflict do nothing;

create index tenant_turn_waiting on tenant_turn (last_served_at, tenant_id) where is_waiting;
grant select, insert, update on tenant_turn to skein_server;
