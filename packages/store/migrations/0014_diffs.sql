-- What agents pushed, as their runners saw it (docs/adr/0055).

create table diff (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  -- Derived from what is compared with what, so that a repeated report is the same diff.
  id uuid not null,
  run_id bigint not null,
  repo text not null,
  branch text not null,
  scope text not null,
  commit text not null,
  base_branch text not null,
  base_commit text not null,
  file_count integer not null,
  added integer not null,
  removed integer not null,
  -- The files without their patches, in the order of git.
  files jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, agent_id, id)
);

-- Separate, so that the list of files is read without them.
create table diff_patch (
  tenant_id uuid not null references tenant,
  agent_id uuid not null,
  diff_id uuid not null,
  file integer not null,
  patch text not null,
  primary key (tenant_id, agent_id, diff_id, file)
);

create index diff_of_agent on diff (agent_id);
create index diff_patch_of_agent on diff_patch (agent_id);

grant select, insert, delete on diff, diff_patch to skein_server;

do $$
declare
  owned text;
begin
  foreach owned in array array['diff', 'diff_patch'] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy own_tenant on %I to skein_server using (tenant_id = skein_current_tenant())', owned);
  end loop;
end
$$;
