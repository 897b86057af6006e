-- Charges a sign-in attempt to each of its slots, or rejects it without a charge. Returns how many seconds to wait. A slot
-- holds what drains from it in a minute (leaky bucket). A negative cost is a refund.
create or replace function charge_sign_in(slots int[], cost double precision, per_minute double precision, at timestamptz)
returns double precision
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  fullest double precision;
begin
  insert into sign_in_level (slot, level, measured_at)
  select wanted, 0, at from unnest(slots) wanted order by wanted
  on conflict (slot) do nothing;
  -- In a fixed order, so that two attempts cannot deadlock.
  perform from sign_in_level l where l.slot = any(slots) order by l.slot for update;
  update sign_in_level l
  set level = greatest(0, l.level - per_minute * extract(epoch from greatest(at - l.measured_at, interval '0')) / 60),
    measured_at = greatest(l.measured_at, at)
  where l.slot = any(slots);
  select max(l.level) into fullest from sign_in_level l where l.slot = any(slots);
  if cost > 0 and fullest + cost > per_minute then
    return (fullest + cost - per_minute) * 60 / per_minute;
  end if;
  update sign_in_level l set level = greatest(0, l.level + cost) where l.slot = any(slots);
  return 0;
end
$$;

revoke all on function charge_sign_in(int[], double precision, double precision, timestamptz) from public;
grant execute on function charge_sign_in(int[], double precision, double precision, timestamptz) to skein_server;
