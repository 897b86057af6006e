-- Which pool an agent is in, so that whoever wants to delete a pool or a workspace sees who lives there.
alter table agent add column pool text collate "C";

update agent set pool = state ->> 'pool' where not is_terminal;

create index agent_live_by_pool on agent (tenant_id, pool) where not is_terminal;
create index agent_live_by_workspace on agent (tenant_id, workspace) where not is_terminal;
