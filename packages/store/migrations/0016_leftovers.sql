-- Agents that have ended and whose conversation and unfinished work runners still keep, until some runner has removed it.
create table leftover (
  agent_id uuid primary key,
  tenant_id uuid not null references tenant,
  pool text collate "C" not null,
  ended_at timestamptz not null,
  claimed_until timestamptz not null default '-infinity',
  -- How often a runner has taken it up. One that cannot be removed is left for a person to look at.
  attempts integer not null default 0
) with (fillfactor = 70);

create index leftover_by_age on leftover (pool, ended_at);

alter table leftover enable row level security;
create policy own_tenant on leftover to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, update, delete on leftover to skein_server;

insert into leftover (agent_id, tenant_id, pool, ended_at)
select id, tenant_id, state ->> 'pool', updated_at from agent where is_terminal and state ->> 'session' <> '';
