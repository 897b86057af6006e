-- Records a request, unless it is a copy of one that was recorded. Returns the delivery's id, or how long the sender has
-- to wait: a trigger accepts a number of requests in a minute, and has at most a thousand that are not applied.
create or replace function accept_delivery(
  wanted text, new_id uuid, new_sender_key text, new_body_key bytea, new_body bytea, new_headers jsonb,
  new_redelivery_of uuid, per_minute integer
) returns table (id uuid, is_new boolean, wait_ms double precision)
language plpgsql
as $$
declare
  cost constant interval := make_interval(secs => 60.0 / per_minute);
  next_number bigint;
  found_id uuid;
begin
  select d.id into found_id from trigger_delivery d
  where d.tenant_id = skein_current_tenant() and d.trigger = wanted and d.sender_key = new_sender_key;
  if found_id is null and new_body_key is not null then
    select d.id into found_id from trigger_delivery d
    where d.tenant_id = skein_current_tenant() and d.trigger = wanted and d.body_key = new_body_key;
  end if;
  if found_id is not null then
    return query select found_id, false, 0::double precision;
    return;
  end if;
  -- From here on, requests to the same trigger wait for each other.
  update trigger_state s set newest = s.newest + 1, free_at = greatest(s.free_at, now()) + cost,
    due_at = case when s.held_until > now() then s.due_at else least(s.due_at, now()) end
  where s.tenant_id = skein_current_tenant() and s.trigger = wanted
    and greatest(s.free_at, now()) + cost <= now() + interval '1 minute'
  returning s.newest into next_number;
  if next_number is null then
    return query select null::uuid, false, coalesce((
      select extract(epoch from s.free_at + cost - now() - interval '1 minute') * 1000 from trigger_state s
      where s.tenant_id = skein_current_tenant() and s.trigger = wanted), 1000)::double precision;
    return;
  end if;
  if exists (select from trigger_delivery d
    where d.tenant_id = skein_current_tenant() and d.trigger = wanted and d.ended_at is null
      and d.number <= next_number - 1000) then
    return query select null::uuid, false, 60000::double precision;
    return;
  end if;
  update trigger_delivery d set body = null, headers = '{}'
  where d.tenant_id = skein_current_tenant() and d.trigger = wanted and d.number = next_number - 1000;
  insert into trigger_delivery (tenant_id, trigger, number, id, received_at, sender_key, body_key, body, headers,
    redelivery_of)
  values (skein_current_tenant(), wanted, next_number, new_id, now(), new_sender_key, new_body_key, new_body,
    new_headers, new_redelivery_of)
  on conflict do nothing returning trigger_delivery.id into found_id;
  if found_id is not null then
    return query select found_id, true, 0::double precision;
    return;
  end if;
  -- A copy was recorded at the same time.
  return query select d.id, false, 0::double precision from trigger_delivery d
  where d.tenant_id = skein_current_tenant() and d.trigger = wanted
    and (d.sender_key = new_sender_key or (new_body_key is not null and d.body_key = new_body_key)) limit 1;
end
$$;

grant execute on function accept_delivery(text, uuid, text, bytea, bytea, jsonb, uuid, integer) to skein_server;

-- Gives due triggers to one server for a while. `busy` are tenants for which this server already does as much as it may.
create or replace function take_due_triggers(amount integer, hold_ms integer, busy uuid[]) returns table (
  tenant_id uuid, trigger text, token bigint
)
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  update trigger_state s set token = s.token + 1, held_until = now() + make_interval(secs => hold_ms / 1000.0),
    -- If the holder dies, the trigger is due when its time is over.
    due_at = now() + make_interval(secs => hold_ms / 1000.0)
  where s.ctid = any (array(
    select d.ctid from trigger_state d
    -- The second condition lets PostgreSQL use the index, which leaves out triggers with nothing to apply.
    where d.due_at <= now() and d.due_at < 'infinity' and d.held_until <= now() and d.tenant_id <> all (
      busy || array(select s.id from tenant s where s.suspended_at is not null))
    order by d.due_at limit amount for update skip locked))
  returning s.tenant_id, s.trigger, s.token;
end;

revoke all on function take_due_triggers(integer, integer, uuid[]) from public;
grant execute on function take_due_triggers(integer, integer, uuid[]) to skein_server;

-- Ends the hold. Locks the trigger first: what adds deliveries does the same, so none can be missed. Does nothing if
-- another server holds it by now.
create or replace function release_trigger(wanted text, held_token bigint, not_before timestamptz) returns void
language plpgsql
as $$
begin
  perform from trigger_state s
  where s.tenant_id = skein_current_tenant() and s.trigger = wanted and s.token = held_token for update;
  if not found then
    return;
  end if;
  update trigger_state s set held_until = '-infinity', due_at = case when exists (
      select from trigger_delivery d
      where d.tenant_id = skein_current_tenant() and d.trigger = wanted and d.ended_at is null
    ) then greatest(now(), not_before) else 'infinity' end
  where s.tenant_id = skein_current_tenant() and s.trigger = wanted;
end
$$;

grant execute on function release_trigger(text, bigint, timestamptz) to skein_server;

-- Deletes requests received before a given time. Returns how many it deleted.
create or replace function remove_expired_trigger_deliveries(received_before timestamptz, amount integer) returns bigint
language sql security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with removed as (
    delete from trigger_delivery d where d.ctid = any (array(
      select o.ctid from trigger_delivery o
      where o.received_at < received_before order by o.received_at limit amount))
    returning 1
  )
  select count(*) from removed;
end;

revoke all on function remove_expired_trigger_deliveries(timestamptz, integer) from public;
grant execute on function remove_expired_trigger_deliveries(timestamptz, integer) to skein_server;
