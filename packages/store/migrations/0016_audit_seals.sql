-- A chain of seals over the audit log, so that a removed or changed entry shows (docs/adr/0059).

-- What a tenant's log held in one span of time. `digest` is over the entries, `mac` over all other columns, with a key that
-- is not in the database.
create table audit_seal (
  tenant_id uuid not null references tenant,
  number bigint not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  entries int not null,
  digest bytea not null,
  previous_mac bytea not null,
  sealed_at timestamptz not null,
  mac bytea not null,
  primary key (tenant_id, number)
);

create index audit_seal_by_age on audit_seal (until_at);
alter table audit_seal enable row level security;
create policy own_tenant on audit_seal to skein_server using (tenant_id = skein_current_tenant());

-- One row. Every entry between these times is sealed.
create table audit_position (
  begun_at timestamptz not null,
  sealed_until timestamptz not null
);

insert into audit_position
select at, at from (select date_bin('5 minutes', now(), '2000-01-01T00:00:00Z') as at) as now;

-- Entries of all tenants in a span of time. They come in the order of time, so this small index is enough.
create index audit_by_time on audit using brin (created_at) with (pages_per_range = 16);
