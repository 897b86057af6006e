-- How many more bytes of messages wait, by the same statement as the messages. Does nothing for commands that queue
-- and deliver none.
create or replace function count_queued_bytes(tenant uuid, delta bigint) returns void
language sql strict
as $$
  insert into queued_bytes (tenant_id, part, amount) values (tenant, pg_backend_pid() % 64, delta)
  on conflict (tenant_id, part) do update set amount = queued_bytes.amount + excluded.amount;
$$;

grant execute on function count_queued_bytes(uuid, bigint) to skein_server;
