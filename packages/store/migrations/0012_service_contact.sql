-- When any server last looked after the leases, by the database's clock: time without one counts against nobody
-- (docs/adr/0028). One row.
create table service_contact (
  is_only boolean primary key default true check (is_only),
  seen_at timestamptz not null default now()
);

insert into service_contact default values;
