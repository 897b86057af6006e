-- People and groups that an identity provider sends over SCIM (docs/adr/0062).

create table directory_user (
  tenant_id uuid not null references tenant,
  id uuid not null,
  directory text collate "C" not null,
  user_name text not null,
  -- In lower case: user names are compared so.
  user_name_key text collate "C" not null,
  external_id text collate "C",
  active boolean not null,
  display_name text not null,
  given_name text not null,
  family_name text not null,
  email text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

create unique index directory_user_by_name on directory_user (tenant_id, directory, user_name_key);
create unique index directory_user_by_external_id on directory_user (tenant_id, directory, external_id);
create index directory_user_by_age on directory_user (tenant_id, directory, created_at, id);
grant select, insert, update, delete on directory_user to skein_server;

create table directory_group (
  tenant_id uuid not null references tenant,
  id uuid not null,
  directory text collate "C" not null,
  display_name text not null,
  display_name_key text collate "C" not null,
  external_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

create unique index directory_group_by_name on directory_group (tenant_id, directory, display_name_key);
create unique index directory_group_by_external_id on directory_group (tenant_id, directory, external_id);
create index directory_group_by_age on directory_group (tenant_id, directory, created_at, id);
grant select, insert, update, delete on directory_group to skein_server;

create table directory_member (
  tenant_id uuid not null references tenant,
  group_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, group_id, user_id)
);

create index directory_member_by_user on directory_member (tenant_id, user_id);
grant select, insert, delete on directory_member to skein_server;

-- Whose users and groups are to be deleted.
create index resource_deleted_directory on resource (tenant_id, name) where kind = 'directory' and document is null;

-- Which user of a directory a person is, what it would recognise them by, and since when it says that they have left.
alter table person
  add column directory_user uuid,
  add column directory_value text collate "C",
  add column deactivated_at timestamptz;

create index person_by_directory_user on person (tenant_id, directory_user);
create index person_by_directory_value on person (tenant_id, identity_provider, directory_value);

-- Like claimed_teams, by the groups of a directory.
alter table api_key add column directory_teams jsonb not null default '{}';

-- People who left. Their keys and sessions end with the commit that adds the row; a server then ends the rest, step by
-- step, and can be killed at any of them.
create table leaver (
  tenant_id uuid not null references tenant,
  id uuid not null,
  directory text collate "C" not null,
  owner_provider text not null,
  account text not null,
  -- What becomes of their agents: stop or hand-over.
  agents text not null,
  left_at timestamptz not null,
  -- When a server looks at it next; infinity once everything has ended.
  due_at timestamptz not null,
  -- Counts who worked on it: only the newest may go on.
  token bigint not null default 0,
  attempts integer not null default 0,
  problem text not null default '',
  killed_agents integer not null default 0,
  -- What they wrote last and was running: kind and name of each.
  paused jsonb not null default '[]',
  ended_at timestamptz,
  primary key (tenant_id, id)
);

create index leaver_due on leaver (due_at) where due_at < 'infinity';
create index leaver_by_time on leaver (tenant_id, left_at desc, id desc);
create index leaver_ended on leaver (ended_at);
grant select, insert, update on leaver to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['directory_user', 'directory_group', 'directory_member', 'leaver'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
