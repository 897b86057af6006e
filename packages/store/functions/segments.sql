-- Agents, and tenants with events of their own, that have events from before a given time, in the order of their ids.
create or replace function find_old_timelines(before timestamptz, after_agent uuid, amount integer)
returns table (tenant_id uuid, agent_id uuid, is_open boolean)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  last_agent uuid := after_agent;
begin
  -- One at a time: a statement for all would read all their events.
  for place in 1..amount loop
    select t.tenant_id, t.agent_id into tenant_id, agent_id from timeline t
    where t.agent_id > last_agent and t.created_at < before order by t.agent_id limit 1;
    exit when agent_id is null;
    is_open := exists (
      select from tenant o
      where o.id = find_old_timelines.tenant_id and o.closed_at is null and o.move_step is null);
    return next;
    last_agent := agent_id;
  end loop;
end
$$;

revoke all on function find_old_timelines(timestamptz, uuid, integer) from public;
grant execute on function find_old_timelines(timestamptz, uuid, integer) to skein_server;

-- Before an object is written. Returns its name, which is found from then on, whatever happens to the server. Null if these
-- events are no longer all in `timeline`, or a segment has them too, because a move to another cell has brought them back.
-- A name is the checksum and a random number. One that a server may have begun to delete is never given again: the server
-- may stall, and delete the object much later.
create or replace function draft_segment(
  of_agent uuid, first_event bigint, last_event bigint, amount integer, checksum bytea
) returns bytea
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  new_object bytea;
begin
  if not exists (
    select from tenant t
    where t.id = skein_current_tenant() and t.closed_at is null and t.move_step is null for share
  ) then
    return null;
  end if;
  -- With move_events: a draft of what has just been moved would have it deleted later.
  perform pg_advisory_xact_lock(hashtextextended(of_agent::text, 20));
  if exists (select from timeline_segment s where s.agent_id = of_agent and s.last_sequence >= first_event) then
    return null;
  end if;
  if amount <> (
    select count(*) from timeline t
    where t.agent_id = of_agent and t.sequence between first_event and last_event
      and t.tenant_id = skein_current_tenant()
  ) then
    return null;
  end if;
  -- What a server has begun and not finished is done again.
  update unused_object u set since = now()
  where u.object between checksum and checksum || '\xffffffffffffff'::bytea and u.is_draft and u.taken_at is null
  returning u.object into new_object;
  if new_object is null then
    insert into unused_object (object, since, is_draft)
    values (checksum || substr(uuid_send(gen_random_uuid()), 1, 7), now(), true)
    returning object into new_object;
  end if;
  return new_object;
end
$$;

revoke all on function draft_segment(uuid, bigint, bigint, integer, bytea) from public;
grant execute on function draft_segment(uuid, bigint, bigint, integer, bytea) to skein_server;

-- After the object was written: its events are in the segment from now on, and no longer in `timeline`. False if another
-- server was faster, the draft was given up, or somebody wants these events sent again since.
create or replace function move_events(
  of_agent uuid, first_event bigint, last_event bigint, amount integer, newest timestamptz,
  new_object bytea, stored integer, plain integer
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  removed integer;
begin
  -- Nothing is recorded for a tenant that is being deleted or moved to another cell: that waits for this.
  if not exists (
    select from tenant t
    where t.id = skein_current_tenant() and t.closed_at is null and t.move_step is null for share
  ) then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(of_agent::text, 20));
  if exists (select from timeline_segment s where s.agent_id = of_agent and s.last_sequence >= first_event) then
    return false;
  end if;
  -- A replay adds its lane with the same lock.
  if exists (
    select from endpoint e
    join lane l on l.tenant_id = e.tenant_id and l.integration = e.integration and l.agent_id = of_agent
    where e.tenant_id = skein_current_tenant() and l.next_sequence <= last_event
  ) then
    return false;
  end if;
  delete from unused_object u where u.object = new_object and u.is_draft and u.taken_at is null;
  if not found then
    return false;
  end if;
  -- Before the segment is recorded: whoever deletes the agent waits here, and then finds the segment.
  delete from timeline t
  where t.agent_id = of_agent and t.sequence between first_event and last_event
    and t.tenant_id = skein_current_tenant();
  get diagnostics removed = row_count;
  if removed <> amount then
    raise exception 'Of % events, % were still there', amount, removed;
  end if;
  insert into timeline_segment (tenant_id, agent_id, last_sequence, first_sequence, last_at, stored_bytes, plain_bytes,
    object)
  values (skein_current_tenant(), of_agent, last_event, first_event, newest, stored, plain, new_object);
  return true;
end
$$;

revoke all on function move_events(uuid, bigint, bigint, integer, timestamptz, bytea, integer, integer) from public;
grant execute on function move_events(uuid, bigint, bigint, integer, timestamptz, bytea, integer, integer)
  to skein_server;

-- A move to another cell brings events back, and their segments stay. If the tenant was not moved after all, the events are
-- taken out of `timeline` again, with those whose segment has expired meanwhile. Not while it moves.
create or replace function forget_returned_events(of_agent uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  newest bigint := (
    select max(s.last_sequence) from timeline_segment s
    where s.agent_id = of_agent and s.tenant_id = skein_current_tenant());
begin
  if newest is null or not exists (
    select from tenant t
    where t.id = skein_current_tenant() and t.closed_at is null and t.move_step is null for share
  ) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(of_agent::text, 20));
  delete from timeline t
  where t.agent_id = of_agent and t.sequence <= newest and t.tenant_id = skein_current_tenant();
end
$$;

revoke all on function forget_returned_events(uuid) from public;
grant execute on function forget_returned_events(uuid) to skein_server;

-- Forgets some segments of agents that are deleted. Their objects are deleted later. After the events in `timeline`: see
-- move_events. Only for other functions. Returns how many.
create or replace function remove_segments(members uuid[], amount integer) returns integer
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from timeline_segment s where s.ctid = any (array(
      select o.ctid from timeline_segment o where o.agent_id = any (members) limit amount))
    returning s.object
  ), unused as (
    insert into unused_object (object, since, is_draft) select r.object, now(), false from removed r
    on conflict (object) do update set since = excluded.since, is_draft = false
    returning 1
  )
  select count(*)::integer from unused;
end;

revoke all on function remove_segments(uuid[], integer) from public;

-- Forgets segments whose newest event is older than a given time. Returns how many.
create or replace function remove_expired_segments(newest_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from timeline_segment s where s.ctid = any (array(
      select o.ctid from timeline_segment o where o.last_at < newest_before limit amount))
    returning s.object
  ), unused as (
    insert into unused_object (object, since, is_draft) select r.object, now(), false from removed r
    on conflict (object) do update set since = excluded.since, is_draft = false
    returning 1
  )
  select count(*) from unused;
end;

revoke all on function remove_expired_segments(timestamptz, integer) from public;
grant execute on function remove_expired_segments(timestamptz, integer) to skein_server;

-- Objects to delete: those that nothing has referred to since a given time, and drafts that were given up. What a server
-- has not finished is given to another one after ten minutes.
create or replace function take_unused_objects(unused_before timestamptz, drafts_before timestamptz, amount integer)
returns table (object bytea)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update unused_object u set taken_at = now()
  where u.ctid = any (array(
    select o.ctid from unused_object o
    where o.since <= unused_before and (not o.is_draft or o.since <= drafts_before)
      and (o.taken_at is null or o.taken_at < now() - interval '10 minutes')
    order by o.since limit amount for update skip locked))
  returning u.object;
end;

revoke all on function take_unused_objects(timestamptz, timestamptz, integer) from public;
grant execute on function take_unused_objects(timestamptz, timestamptz, integer) to skein_server;

-- After they were deleted.
create or replace function forget_unused_objects(deleted bytea[]) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  delete from unused_object u where u.object = any (deleted) and u.taken_at is not null;
end;

revoke all on function forget_unused_objects(bytea[]) from public;
grant execute on function forget_unused_objects(bytea[]) to skein_server;

-- One server at a time moves events. Returns how far the last one got; null if it is another server's turn.
create or replace function take_segment_turn(by_server uuid, hold_ms integer) returns uuid
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update segment_turn s set holder = by_server, held_until = now() + make_interval(secs => hold_ms / 1000.0)
  where s.held_until < now() or s.holder = by_server
  returning s.after_agent;
end;

revoke all on function take_segment_turn(uuid, integer) from public;
grant execute on function take_segment_turn(uuid, integer) to skein_server;

-- Returns whether it is still this server's turn. With a time of 0 ms, the turn ends.
create or replace function keep_segment_turn(by_server uuid, last_agent uuid, hold_ms integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  update segment_turn s set after_agent = coalesce(last_agent, s.after_agent),
    held_until = now() + make_interval(secs => hold_ms / 1000.0)
  where s.holder = by_server and s.held_until > now();
  return found;
end
$$;

revoke all on function keep_segment_turn(uuid, uuid, integer) from public;
grant execute on function keep_segment_turn(uuid, uuid, integer) to skein_server;

-- Drops partitions of events that are empty because all were moved: deleted rows leave their space in indexes. Returns the
-- beginning of the oldest month that should be empty and is not, which is noted for metrics; null if there is none.
create or replace function drop_moved_timelines(before timestamptz) returns timestamptz
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set timezone = 'UTC'
-- Writers of events wait behind this lock, which may itself wait for a long read of the table.
set lock_timeout = '200ms'
as $$
declare
  old record;
  part text;
  parts text[] := '{}';
  is_used boolean;
  oldest timestamptz;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('skein.maintain_partitions', 0)) then
    return null;
  end if;
  for old in
    select c.relname, to_timestamp(right(c.relname, 8), 'YYYYMMDD') as starts
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.timeline'::regclass and c.relname ~ '^timeline_[0-9]{8}$'
      and to_timestamp(right(c.relname, 8), 'YYYYMMDD') + interval '1 month' <= before
    order by c.relname
  loop
    is_used := true;
    -- Until they are vacuumed, all deleted rows are read. The next call goes on with what is left.
    if clock_timestamp() < statement_timestamp() + interval '10 s' then
      begin
        execute format('select exists (select from public.%I)', old.relname) into is_used;
      exception when lock_not_available then
        null;
      end;
    end if;
    if is_used then
      oldest := coalesce(oldest, old.starts);
    else
      parts := parts || old.relname::text;
    end if;
  end loop;
  -- Where the events of dropped months are that a move has brought back, or into this cell.
  oldest := least(oldest, (
    select date_trunc('month', min(t.created_at)) from public.timeline_default t where t.created_at < before));
  update segment_turn s set oldest_month = oldest where s.oldest_month is distinct from oldest;
  -- Events of a tenant that moves to another cell return to months as old as this, until it has moved.
  if exists (select from tenant t where t.move_step <> 'moved') then
    return oldest;
  end if;
  -- Checks again: rows that were not committed yet could not be seen. Writers of other months do not wait.
  foreach part in array parts loop
    begin
      execute format('lock table only public.%I in share mode', part);
      execute format('select exists (select from public.%I)', part) into is_used;
    exception when lock_not_available then
      is_used := true;
    end;
    if is_used then
      parts := array_remove(parts, part);
    end if;
  end loop;
  if parts <> '{}' then
    begin
      -- From here on, readers and writers of events wait, so the months are not read again.
      lock table only public.timeline in access exclusive mode;
      foreach part in array parts loop
        execute format('drop table public.%I', part);
      end loop;
    exception when lock_not_available then
      -- Somebody reads it. The next call tries again.
      null;
    end;
  end if;
  return oldest;
end
$$;

revoke all on function drop_moved_timelines(timestamptz) from public;
grant execute on function drop_moved_timelines(timestamptz) to skein_server;
