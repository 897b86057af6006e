-- Old events move to the blob store (docs/adr/0073).

-- Where events are that are no longer in `timeline`: a range of one agent's for each object.
create table timeline_segment (
  tenant_id uuid not null,
  agent_id uuid not null,
  last_sequence bigint not null,
  first_sequence bigint not null,
  -- When the newest of them happened.
  last_at timestamptz not null,
  stored_bytes integer not null,
  plain_bytes integer not null,
  -- Its name: the SHA-256 of what is stored, and seven bytes that make it unique.
  object bytea not null,
  primary key (agent_id, last_sequence)
);

create index timeline_segment_by_age on timeline_segment (last_at);
alter table timeline_segment enable row level security;
create policy own_tenant on timeline_segment to skein_server using (tenant_id = skein_current_tenant());
grant select on timeline_segment to skein_server;

-- For events of dropped months, which moves of tenants bring here.
create index timeline_default_by_age on timeline_default (created_at);

-- Objects that no segment refers to, and since when. They are deleted later, because a backup may still refer to them.
-- Without a tenant: a deleted tenant has no rows, but its objects must go too.
create table unused_object (
  object bytea primary key,
  since timestamptz not null,
  -- Written, or about to be, for a segment that is not recorded yet.
  is_draft boolean not null,
  -- When a server last began to delete it. From then on, it cannot be used any more.
  taken_at timestamptz
);

create index unused_object_by_age on unused_object (since);

-- Which server moves events, until when, and how far it has got. One row.
create table segment_turn (
  is_only boolean primary key default true check (is_only),
  holder uuid not null,
  held_until timestamptz not null,
  after_agent uuid not null,
  -- The beginning of the oldest month of events that should have been moved; null if there is none.
  oldest_month timestamptz
);

insert into segment_turn (holder, held_until, after_agent)
values ('00000000-0000-0000-0000-000000000000', '-infinity', '00000000-0000-0000-0000-000000000000');

grant select on segment_turn to skein_server;
