-- Messages for people: events of several agents, sent together (docs/adr/0047).

-- Whether events are sent in messages for people, not one by one.
alter table endpoint add column is_grouped boolean not null default false;

alter table lane
  -- The message that the next events are in, noted before it is sent: killed at any point, it is sent again with the
  -- same events under the same id. Null while they are in none.
  add column message_id uuid,
  -- The last event of the lane that is in the message.
  add column message_sequence bigint,
  -- Recipients of e-mail who need no further attempt.
  add column settled text[] not null default '{}';

create index lane_by_message on lane (tenant_id, integration, message_id) where message_id is not null;

-- The message that an event was sent in; null for webhooks.
alter table delivery add column message_id uuid;

-- Numbers the events of the tenant itself. They are in its timeline, under its own id.
alter table outbox_reader add column event_sequence bigint not null default 0;

-- How many e-mails a tenant has sent in the current hour, counted by recipients.
create table mail_hour (
  tenant_id uuid primary key references tenant,
  hour timestamptz not null,
  amount integer not null
) with (fillfactor = 50);

grant select, insert, update, delete on mail_hour to skein_server;
alter table mail_hour enable row level security;
create policy own_tenant on mail_hour to skein_server using (tenant_id = skein_current_tenant());

-- It returns one more column now, so it has to be created anew.
drop function if exists take_due_endpoints(integer, integer, uuid[]);
