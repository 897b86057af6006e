-- Which sets of functions this database has been given, the newest last (docs/adr/0007). Their source is in
-- packages/store/functions; the bodies in the migrations before this one are history.
create table skein_function_set (
  number int generated always as identity primary key,
  checksum text not null unique,
  applied_at timestamptz not null default now()
);

grant select on skein_function_set to skein_server;
