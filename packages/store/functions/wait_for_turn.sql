-- Makes claims visit a tenant whose run is being queued. Most often only reads. A claim that finds no run takes the same
-- lock, so that it cannot overlook one that is about to be committed.
create or replace function wait_for_turn(tenant uuid) returns void
language plpgsql
as $$
declare
  is_locked boolean;
begin
  -- An assignment, because PERFORM would be a query of its own.
  is_locked := pg_advisory_xact_lock_shared(hashtextextended(tenant::text, 4)) is not null;
  if not exists (select from tenant_turn t where t.tenant_id = tenant and t.is_waiting) then
    insert into tenant_turn (tenant_id, last_served_at) values (tenant, '-infinity')
    on conflict (tenant_id) do update set is_waiting = true;
  end if;
end
$$;

grant execute on function wait_for_turn(uuid) to skein_server;

-- Makes claims visit every tenant with a queued run. For runs that were queued by the functions of an older build while
-- it was being replaced; runs much less often than claims.
create or replace function recall_waiting_tenants() returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
as $$
  with recursive waiting as (
    -- Skips from one tenant to the next, however many runs each has queued.
    (select q.tenant_id from run q where not q.is_leased order by q.tenant_id limit 1)
    union all
    select (select q.tenant_id from run q where not q.is_leased and q.tenant_id > w.tenant_id
            order by q.tenant_id limit 1)
    from waiting w where w.tenant_id is not null
  )
  insert into tenant_turn (tenant_id, last_served_at)
  select w.tenant_id, '-infinity' from waiting w
  where w.tenant_id is not null
    and not exists (select from tenant_turn t where t.tenant_id = w.tenant_id and t.is_waiting)
  on conflict (tenant_id) do update set is_waiting = true;
$$;

revoke all on function recall_waiting_tenants() from public;
grant execute on function recall_waiting_tenants() to skein_server;
