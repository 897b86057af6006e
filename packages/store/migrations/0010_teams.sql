-- Teams divide a tenant (docs/adr/0054). The documents in the catalog are the source. These are what a request asks of
-- them, written in the same transaction.

-- The team of each workspace that has one. Kept when the workspace is deleted: its agents are still the team's.
create table workspace_team (
  tenant_id uuid not null references tenant,
  workspace text collate "C" not null,
  team text collate "C" not null,
  primary key (tenant_id, workspace)
);

grant select, insert, update, delete on workspace_team to skein_server;

create table team_member (
  tenant_id uuid not null references tenant,
  owner_provider text not null,
  account text not null,
  team text collate "C" not null,
  role text not null,
  primary key (tenant_id, owner_provider, account, team)
);

create index team_member_by_team on team_member (tenant_id, team);
grant select, insert, delete on team_member to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['workspace_team', 'team_member'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;

-- The agents of one workspace, newest first: for callers who see only some. Replaces the index of live agents by
-- workspace, so that a change of an agent writes no more indexes than before.
create index agent_by_workspace on agent (tenant_id, workspace, is_terminal, created_at desc, id desc);
drop index agent_live_by_workspace;
