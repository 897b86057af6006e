-- Bytes of the messages that wait, in parts, so that commands of one tenant do not wait for each other.
create table queued_bytes (
  tenant_id uuid not null references tenant,
  part smallint not null,
  amount bigint not null,
  primary key (tenant_id, part)
) with (fillfactor = 50);

alter table queued_bytes enable row level security;
create policy own_tenant on queued_bytes to skein_server using (tenant_id = skein_current_tenant());
grant select, insert, update on queued_bytes to skein_server;

insert into queued_bytes (tenant_id, part, amount)
select tenant_id, 0, sum(octet_length(body::text)) from follow_up
where state in ('QUEUED', 'DEFERRED') group by tenant_id;
