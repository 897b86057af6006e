-- The columns are named, so that a column that is added later changes no digest.
create or replace function audit_entry_digest(entry audit) returns bytea
language sql immutable
begin atomic
  select sha256(convert_to(jsonb_build_array(
    entry.tenant_id, entry.id, (extract(epoch from entry.created_at) * 1000000)::bigint, entry.operation, entry.kind,
    entry.name, entry.generation, entry.owner_provider, entry.account, entry.role, entry.token, entry.justification,
    entry.request_id, entry.address, entry.detail, entry.times)::text, 'UTF8'));
end;

-- Until when entries are sealed, held until the end of the transaction. Null while another one holds it.
create or replace function hold_audit_position() returns timestamptz
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select p.sealed_until from audit_position p for update skip locked;
end;

revoke all on function hold_audit_position() from public;
grant execute on function hold_audit_position() to skein_server;

-- What the log of each tenant holds in a span of time, with the tenant's last seal. Only tenants with entries.
create or replace function audit_sums(from_at timestamptz, until_at timestamptz)
returns table (tenant_id uuid, entries integer, digest bytea, last_number bigint, last_mac bytea)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  return query
    with sums as materialized (
      select a.tenant_id, count(*)::int as entries,
        sha256(string_agg(audit_entry_digest(a), ''::bytea order by a.created_at, a.id)) as digest
      from audit a where a.created_at >= from_at and a.created_at < until_at group by a.tenant_id
    )
    select s.tenant_id, s.entries, s.digest, coalesce(l.number, 0), coalesce(l.mac, ''::bytea)
    from sums s left join lateral (
      select o.number, o.mac from audit_seal o where o.tenant_id = s.tenant_id order by o.number desc limit 1
    ) as l on true
    -- A deleted tenant's last entries can be here for a moment.
    where exists (select from tenant t where t.id = s.tenant_id);
end
$$;

revoke all on function audit_sums(timestamptz, timestamptz) from public;
grant execute on function audit_sums(timestamptz, timestamptz) to skein_server;

-- Adds the next seal of each of these tenants, and moves the position.
create or replace function add_audit_seals(
  from_at timestamptz, until_at timestamptz, sealed_at timestamptz, seals json
) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  insert into audit_seal (tenant_id, number, from_at, until_at, entries, digest, previous_mac, sealed_at, mac)
  select s."tenantId", s.number, add_audit_seals.from_at, add_audit_seals.until_at, s.entries,
    decode(s.digest, 'hex'), decode(s."previousMac", 'hex'), add_audit_seals.sealed_at, decode(s.mac, 'hex')
  from json_to_recordset(seals)
    as s("tenantId" uuid, number bigint, entries int, digest text, "previousMac" text, mac text);
  update audit_position set sealed_until = add_audit_seals.until_at;
end;

revoke all on function add_audit_seals(timestamptz, timestamptz, timestamptz, json) from public;
grant execute on function add_audit_seals(timestamptz, timestamptz, timestamptz, json) to skein_server;

-- Deletes seals of entries that have expired. Of each tenant the last of them is kept: the chain continues from it.
create or replace function remove_expired_audit_seals(sealed_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from audit_seal s where s.ctid = any (array(
      select o.ctid from audit_seal o
      where o.until_at < sealed_before and exists (
        select from audit_seal n
        where n.tenant_id = o.tenant_id and n.number = o.number + 1 and n.until_at < sealed_before
      )
      order by o.until_at limit amount))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_audit_seals(timestamptz, integer) from public;
grant execute on function remove_expired_audit_seals(timestamptz, integer) to skein_server;
