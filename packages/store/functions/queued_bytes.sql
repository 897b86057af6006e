-- Updates the size of pending messages in the same statement as the messages. Does nothing for commands that neither
-- queue nor deliver any.
create or replace function count_queued_bytes(tenant uuid, delta bigint) returns void
language sql strict
as $$
  insert into queued_bytes (tenant_id, part, amount) values (tenant, pg_backend_pid() % 64, delta)
  on conflict (tenant_id, part) do update set amount = queued_bytes.amount + excluded.amount;
$$;

grant execute on function count_queued_bytes(uuid, bigint) to skein_server;
