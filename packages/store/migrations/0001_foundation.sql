-- Tenants, keys, the catalog with its full history, answers to retried commands, and the audit log.
--
-- Every table with a tenant_id is closed by row-level security to the role the server uses: a transaction sees
-- rows of the tenant it was opened for, and without one it sees none (docs/adr/0005).
--
-- Kinds and names sort by byte, as they do in the server: a page ends at the same name for both.

do $$
begin
  -- Roles belong to the cluster, not to the database: another Skein database, or the administrator of a cluster
  -- where we may not create roles, may have made it already.
  if not exists (select from pg_roles where rolname = 'skein_server') then
    create role skein_server nologin;
  end if;
exception when duplicate_object or unique_violation then
  null;
end
$$;

grant usage on schema public to skein_server;
revoke create on schema public from public;

-- The tenant that the current transaction works for; null when none was set.
create function skein_current_tenant() returns uuid
language sql stable parallel safe
return nullif(current_setting('skein.tenant', true), '')::uuid;

create table tenant (
  id uuid primary key,
  provider text not null,
  org text not null,
  created_at timestamptz not null default now(),
  unique (provider, org)
);

alter table tenant enable row level security;
create policy own_tenant on tenant to skein_server using (id = skein_current_tenant());
grant select on tenant to skein_server;

-- What an API key or a share link's key stands for. Only a SHA-256 of the secret is here (docs/adr/0008).
create table api_key (
  key_id text primary key,
  tenant_id uuid not null references tenant,
  prefix text not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  key_version integer not null,
  secret_sha256 bytea not null,
  owner_provider text not null,
  account text not null,
  role text not null,
  pools text[] not null,
  all_tenants boolean not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null
);

create index api_key_by_resource on api_key (tenant_id, kind, name);

alter table api_key enable row level security;
create policy own_tenant on api_key to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, update on api_key to skein_server;

-- The newest version of each resource. A deleted one stays as a row without a document, so that its generation
-- goes on counting and a stale conditional write can never hit a later life.
create table resource (
  tenant_id uuid not null references tenant,
  kind text collate "C" not null,
  name text collate "C" not null,
  generation bigint not null,
  document json,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (tenant_id, kind, name)
);

alter table resource enable row level security;
create policy own_tenant on resource to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, update on resource to skein_server;

-- Which live resource refers to which other one.
create table resource_reference (
  tenant_id uuid not null references tenant,
  from_kind text collate "C" not null,
  from_name text collate "C" not null,
  to_kind text collate "C" not null,
  to_name text collate "C" not null,
  primary key (tenant_id, from_kind, from_name, to_kind, to_name)
);

create index resource_reference_by_target on resource_reference (tenant_id, to_kind, to_name);

alter table resource_reference enable row level security;
create policy own_tenant on resource_reference to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, delete on resource_reference to skein_server;

-- Values the service must be able to use again, sealed under a key that is not in the database.
create table sealed_value (
  tenant_id uuid not null references tenant,
  kind text collate "C" not null,
  name text collate "C" not null,
  version integer not null,
  sealed text not null,
  created_at timestamptz not null,
  primary key (tenant_id, kind, name, version)
);

alter table sealed_value enable row level security;
create policy own_tenant on sealed_value to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, delete on sealed_value to skein_server;

-- Every version of every resource, for ever. Split by tenant, so that no index grows with the whole cell.
create table resource_version (
  tenant_id uuid not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  generation bigint not null,
  action text not null,
  document json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  justification text not null,
  primary key (tenant_id, kind, name, generation)
) partition by hash (tenant_id);

alter table resource_version enable row level security;
create policy own_tenant on resource_version to skein_server using (tenant_id = skein_current_tenant());
grant select, insert on resource_version to skein_server;

do $$
begin
  for remainder in 0..15 loop
    execute format(
      'create table resource_version_%s partition of resource_version for values with (modulus 16, remainder %s)',
      lpad(remainder::text, 2, '0'), remainder);
  end loop;
end
$$;

-- The answers to commands that carried an idempotency key. By day: see maintain_partitions.
create table command (
  tenant_id uuid not null,
  id bytea not null,
  request_sha256 bytea not null,
  answer json not null,
  created_at timestamptz not null,
  primary key (tenant_id, id, created_at)
) partition by range (created_at);

alter table command enable row level security;
create policy own_tenant on command to skein_server using (tenant_id = skein_current_tenant());
grant select, insert on command to skein_server;

-- Who changed what, committed together with the change. By month: see maintain_partitions.
create table audit (
  tenant_id uuid not null,
  id uuid not null,
  created_at timestamptz not null,
  operation text not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  generation bigint not null,
  owner_provider text not null,
  account text not null,
  role text not null,
  token text not null,
  justification text not null,
  request_id text not null,
  primary key (tenant_id, created_at, id)
) partition by range (created_at);

alter table audit enable row level security;
create policy own_tenant on audit to skein_server using (tenant_id = skein_current_tenant());
grant select, insert on audit to skein_server;

-- A row that no other partition takes still has a place, so that a forgotten maintenance never stops a write.
create table command_default partition of command default;
create table audit_default partition of audit default;

-- Which tables are partitioned by time, and how finely.
create table partition_plan (
  parent text primary key,
  unit text not null check (unit in ('day', 'month'))
);

insert into partition_plan (parent, unit) values ('command', 'day'), ('audit', 'month');

create function partition_name(parent text, starts timestamptz) returns text
language sql immutable
return parent || '_' || to_char(starts at time zone 'UTC', 'YYYYMMDD');

-- Makes the partitions of the days and months to come, and drops those whose time is over. Any server may call
-- it at any time; two at once do the work once. A table that the retention does not name is kept for ever.
create function maintain_partitions(retention_days json) returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set timezone = 'UTC'
set lock_timeout = '5s'
as $$
declare
  plan record;
  starts timestamptz;
  part text;
  old record;
  oldest timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('skein.maintain_partitions', 0)) then
    return;
  end if;
  for plan in
    select p.parent, p.unit, ('1 ' || p.unit)::interval as step from partition_plan p order by p.parent
  loop
    for offset_steps in 0..3 loop
      starts := date_trunc(plan.unit, now()) + offset_steps * plan.step;
      part := partition_name(plan.parent, starts);
      if to_regclass(format('public.%I', part)) is null then
        begin
          execute format('create table public.%I partition of public.%I for values from (%L) to (%L)',
            part, plan.parent, starts, starts + plan.step);
          execute format('alter table public.%I enable row level security', part);
        exception when check_violation then
          -- Rows of this span are in the default partition already: they stay there, and so do their kin.
          raise warning 'rows in the default partition of % keep % from being made', plan.parent, starts;
        end;
      end if;
    end loop;
    if retention_days ->> plan.parent is null then
      continue;
    end if;
    oldest := now() - make_interval(days => (retention_days ->> plan.parent)::int);
    for old in
      select c.relname
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(format('public.%I', plan.parent))
        and c.relname ~ ('^' || plan.parent || '_[0-9]{8}$')
        and to_timestamp(right(c.relname, 8), 'YYYYMMDD') + plan.step < oldest
    loop
      execute format('drop table public.%I', old.relname);
    end loop;
    execute format('delete from public.%I where created_at < $1', plan.parent || '_default') using oldest;
  end loop;
end
$$;

revoke all on function maintain_partitions(json) from public;
grant execute on function maintain_partitions(json) to skein_server;

-- Finds the row behind a key id before any tenant is known: one row, by its full primary key, nothing else.
create function authenticate_key(wanted_key_id text) returns table (
  key_id text,
  tenant_id uuid,
  tenant_provider text,
  tenant_org text,
  prefix text,
  kind text,
  name text,
  secret_sha256 bytea,
  owner_provider text,
  account text,
  role text,
  pools text[],
  all_tenants boolean,
  expires_at timestamptz,
  revoked_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select k.key_id, k.tenant_id, t.provider, t.org, k.prefix, k.kind, k.name, k.secret_sha256,
    k.owner_provider, k.account, k.role, k.pools, k.all_tenants, k.expires_at, k.revoked_at
  from api_key k join tenant t on t.id = k.tenant_id
  where k.key_id = wanted_key_id;
end;

-- Finds a tenant that an operator names. The server asks only after it has checked the role.
create function find_tenant(wanted_provider text, wanted_org text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select t.id from tenant t where t.provider = wanted_provider and t.org = wanted_org;
end;

revoke all on function authenticate_key(text) from public;
revoke all on function find_tenant(text, text) from public;
grant execute on function authenticate_key(text) to skein_server;
grant execute on function find_tenant(text, text) to skein_server;

select maintain_partitions('{}');

-- Partitions are reached through their parents only.
do $$
declare part record;
begin
  for part in
    select c.oid::regclass as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where c.relkind = 'r'
  loop
    execute format('alter table %s enable row level security', part.name);
  end loop;
end
$$;

-- The server asks which migrations ran, to say whether it is ready.
grant select on skein_migration to skein_server;
