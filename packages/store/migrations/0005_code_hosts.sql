-- Calls to code hosts (docs/adr/0050).

-- What a server with a way out is to ask a code host. Whoever wants the answer waits for this row. One server at a time
-- holds it; the token changes with the holder, and every write of the holder checks it.
create table code_host_call (
  tenant_id uuid not null references tenant,
  id uuid not null,
  -- What it is about: while it waits, whoever wants the same waits for the same row.
  key text collate "C" not null,
  code_host text collate "C" not null,
  request jsonb not null,
  created_at timestamptz not null default now(),
  -- When a server should take it, or when its holder is overdue.
  due_at timestamptz not null default now(),
  token bigint not null default 0,
  attempts integer not null default 0,
  -- PENDING, DONE, REFUSED or FAILED.
  outcome text not null default 'PENDING',
  -- Why it was refused, or failed the last time.
  reason text not null default '',
  -- The answer. It can be a credential, so it is sealed and soon deleted.
  sealed text,
  ended_at timestamptz,
  primary key (tenant_id, id)
) with (fillfactor = 50);

create unique index code_host_call_key on code_host_call (tenant_id, key) where ended_at is null;
create index code_host_call_due on code_host_call (due_at) where ended_at is null;
create index code_host_call_by_age on code_host_call (created_at);
grant select, insert, update, delete on code_host_call to skein_server;

alter table code_host_call enable row level security;
create policy own_tenant on code_host_call to skein_server using (tenant_id = skein_current_tenant());
