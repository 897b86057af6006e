-- Deleting a tenant's row looks for rows that refer to it. These tables have no index by tenant, so each was read from end
-- to end, of all tenants. Nothing is left of a tenant by then: deleting it makes sure of that, twice (docs/adr/0066).
alter table browser_session drop constraint browser_session_tenant_id_fkey;
alter table finished_sign_in drop constraint finished_sign_in_tenant_id_fkey;
alter table follow_up drop constraint follow_up_tenant_id_fkey;
alter table leftover drop constraint leftover_tenant_id_fkey;
alter table lease drop constraint lease_tenant_id_fkey;
alter table run drop constraint run_tenant_id_fkey;
alter table sign_in_link drop constraint sign_in_link_tenant_id_fkey;
alter table timer drop constraint timer_tenant_id_fkey;
