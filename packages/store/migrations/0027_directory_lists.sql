-- A directory that is deleted and written again starts with an empty list: its old users and groups are deleted later
-- (docs/adr/0062). Without a row, the list has the name of the directory.
create table directory_list (
  tenant_id uuid not null references tenant,
  directory text collate "C" not null,
  -- What directory_user and directory_group call their directory.
  list text collate "C" not null,
  -- Whether its directory was deleted.
  is_over boolean not null,
  primary key (tenant_id, list)
);

create unique index directory_list_current on directory_list (tenant_id, directory) where not is_over;
create index directory_list_over on directory_list (tenant_id, list) where is_over;
grant select, insert, update on directory_list to skein_server;
alter table directory_list enable row level security;
create policy own_tenant on directory_list to skein_server using (tenant_id = skein_current_tenant());

-- The provider of the account that wrote it; null for what older servers wrote.
alter table resource add column updated_by_provider text;
alter table resource_version add column updated_by_provider text;

-- Tokens and directories whose keys a leaver may know: kind and name of each.
alter table leaver add column minted jsonb not null default '[]';
