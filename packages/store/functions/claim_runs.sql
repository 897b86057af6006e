-- For servers of the release before, which tell nothing of what a runner refuses, and know no ceiling of the
-- installation.
create or replace function claim_runs(
  only_tenant uuid, pools text[], amount integer, runner text, lease_ms integer,
  tenant_limit integer, pool_limit integer
) returns table (
  tenant_id uuid, agent_id uuid, agent_key text, root_key text, pool text, run_id bigint, attempt integer
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select * from claim_permitted_runs(
    only_tenant, pools, amount, runner, lease_ms, tenant_limit, pool_limit, '{}', '{}');
end;

revoke all on function claim_runs(uuid, text[], integer, text, integer, integer, integer) from public;
grant execute on function claim_runs(uuid, text[], integer, text, integer, integer, integer) to skein_server;
