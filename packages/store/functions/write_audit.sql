-- Writes the audit entry in the same statement as the change. Does nothing for changes that are not audited.
create or replace function write_audit(tenant uuid, at timestamptz, entry json) returns void
language sql strict
as $$
  insert into audit (tenant_id, id, created_at, operation, kind, name, generation, owner_provider, account, role,
    token, justification, request_id, address)
  select tenant, a.id, at, a.operation, 'agent', a.name, 0, a."ownerProvider", a.account, a.role, a.token,
    a.justification, a."requestId", coalesce(a.address, '')
  from json_to_record(entry) as a(id uuid, operation text, name text, "ownerProvider" text, account text,
    role text, token text, justification text, "requestId" text, address text);
$$;

grant execute on function write_audit(uuid, timestamptz, json) to skein_server;
