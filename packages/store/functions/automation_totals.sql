-- Counts what automations of all tenants have to do, for metrics. Only endpoints with something to send are in the index
-- of due ones. It looks at 10,000 of them, and counts at most so many lanes of each and 100,000 of all: a dead receiver
-- must not make each count slower. Suspended tenants don't count: what they have waits. Everything else is the first entry of an index.
create or replace function count_automation_totals(most integer) returns jsonb
language sql stable
as $$
  with busy as materialized (
    select e.tenant_id, e.integration, e.failures > 0 as is_failing from endpoint e
    where e.due_at < 'infinity' and e.tenant_id <> all (array(select s.id from tenant s where s.suspended_at is not null))
    order by e.due_at limit 10000
  ), waiting as (
    select c.is_failing from busy c, lateral (
      select from lane l where l.tenant_id = c.tenant_id and l.integration = c.integration limit most) as n
    limit 100000
  ), oldest as (
    select b.is_failing, n.waiting_since from busy b, lateral (
      select l.waiting_since from lane l where l.tenant_id = b.tenant_id and l.integration = b.integration
      order by l.waiting_since limit 1) as n
  )
  select jsonb_build_object(
    'answering', (select count(*) from waiting w where not w.is_failing),
    'failing', (select count(*) from waiting w where w.is_failing),
    'answering_since', (select min(o.waiting_since) from oldest o where not o.is_failing),
    'failing_since', (select min(o.waiting_since) from oldest o where o.is_failing),
    'disabled', (select count(*) from (
      select from endpoint e where e.disabled_at is not null limit 10000) as d),
    -- As take_unread_outboxes: what nobody looks at while its tenant leaves, or has left, is not late.
    'outbox_since', (select r.looked_at from outbox_reader r
      where r.tenant_id <> all (array(select m.id from tenant m where m.move_step in ('frozen', 'moved', 'arriving')))
      order by r.looked_at limit 1),
    'webhooks_since', (select e.due_at from endpoint e
      where e.due_at <= now() and e.due_at < 'infinity'
        and e.tenant_id <> all (array(select s.id from tenant s where s.suspended_at is not null))
      order by e.due_at limit 1),
    'triggers_since', (select s.due_at from trigger_state s
      where s.due_at <= now() and s.due_at < 'infinity'
        and s.tenant_id <> all (array(select o.id from tenant o where o.suspended_at is not null))
      order by s.due_at limit 1),
    'schedules_since', (select t.due_at from schedule_turn t
      where t.due_at <= now() and t.tenant_id <> all (array(select s.id from tenant s where s.suspended_at is not null))
      order by t.due_at limit 1));
$$;

revoke all on function count_automation_totals(integer) from public;

-- Counted by one server at a time, at most once per so many milliseconds. Meanwhile, and to all others, it gives the last
-- totals. `since` is when the oldest began to wait; null if none waits.
create or replace function read_automation_totals(fresh_ms integer, most integer) returns table (
  read_at timestamptz, answering integer, failing integer, answering_since timestamptz, failing_since timestamptz,
  disabled integer, outbox_since timestamptz, webhooks_since timestamptz, triggers_since timestamptz,
  schedules_since timestamptz
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
  known automation_totals%rowtype;
begin
  select * into known from automation_totals;
  if known.counted_at < clock_timestamp() - make_interval(secs => fresh_ms / 1000.0) then
    perform from automation_totals t where t.counted_at = known.counted_at for update skip locked;
    if found then
      update automation_totals t set counted_at = clock_timestamp(), totals = count_automation_totals(most)
      returning * into known;
    end if;
  end if;
  return query select clock_timestamp(), t.*
    from jsonb_to_record(known.totals) as t(answering integer, failing integer, answering_since timestamptz,
      failing_since timestamptz, disabled integer, outbox_since timestamptz, webhooks_since timestamptz,
      triggers_since timestamptz, schedules_since timestamptz);
end
$$;

revoke all on function read_automation_totals(integer, integer) from public;
grant execute on function read_automation_totals(integer, integer) to skein_server;
