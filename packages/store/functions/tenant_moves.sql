-- Moves of tenants between cells (docs/adr/0074). The command that moves one is the owner of the tables.

-- Why callers of a tenant are refused: suspended, moving, or moved and to which cell. Null if they are not. One that is
-- being deleted has revoked its keys, except those of its runners, which still have to remove what they hold.
create or replace function tenant_hold(wanted uuid) returns text
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select case
    when t.move_step = 'moved' then 'moved ' || t.move_cell
    when t.move_step in ('leaving', 'frozen', 'arriving') then 'moving'
    when t.suspended_at is not null and t.closed_at is null then 'suspended' end
  from tenant t where t.id = wanted;
end;

revoke all on function tenant_hold(uuid) from public;
grant execute on function tenant_hold(uuid) to skein_server;

-- Operators can change nothing of a tenant while it moves, or where it was. A caller that removes what it left there has
-- seen that the other cell serves it, and passes false. Locks the row: a step that is just being taken would be committed
-- before the change, which would then undo a part of it.
create or replace function refuse_moving(wanted uuid, or_moved boolean) returns void
language plpgsql
as $$
begin
  perform from tenant t where t.id = wanted for no key update;
  if exists (select from tenant t where t.id = wanted and t.move_step is not null
    and (or_moved or t.move_step <> 'moved')) then
    raise exception 'The tenant % moves to another cell', wanted using errcode = 'SKM01';
  end if;
end
$$;

revoke all on function refuse_moving(uuid, boolean) from public;

-- What has been left for another cell does not change any more. Every table has a trigger with this while one of its
-- tenants is frozen or has moved. What servers do for all tenants at once, such as retention, is let through.
create or replace function refuse_moved_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  row_tenant uuid := case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
begin
  if current_setting('skein.tenant', true) = row_tenant::text
    and exists (select from tenant t where t.id = row_tenant and t.move_step in ('frozen', 'moved', 'arriving'))
  then
    raise exception 'The tenant % moves to another cell', row_tenant using errcode = 'SKM01';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

revoke all on function refuse_moved_row() from public;

-- Whose rows can soon not be written here any more.
create or replace function list_leaving_tenants() returns table (id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.id from tenant t where t.move_step in ('draining', 'leaving');
end;

revoke all on function list_leaving_tenants() from public;
grant execute on function list_leaving_tenants() to skein_server;
