create or replace function partition_name(parent text, starts timestamptz) returns text
language sql immutable
return parent || '_' || to_char(starts at time zone 'UTC', 'YYYYMMDD');

-- Creates partitions for the coming days and months, and drops expired ones. Any server may call it at any time; two
-- at once do the work once. Tables that the retention does not name are kept forever. What somebody reads for long, such as
-- an export, is left for the next round.
create or replace function maintain_partitions(retention_days json) returns void
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set timezone = 'UTC'
-- Writers wait behind this lock, which may itself wait for an export that takes hours.
set lock_timeout = '500ms'
as $$
declare
  plan record;
  starts timestamptz;
  part text;
  old record;
  oldest timestamptz;
  is_busy boolean;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('skein.maintain_partitions', 0)) then
    return;
  end if;
  for plan in
    -- In the order of readTenantRows, or each could wait for the other.
    select p.parent, p.unit, ('1 ' || p.unit)::interval as step from partition_plan p
    order by p.parent <> 'timeline', p.parent
  loop
    is_busy := false;
    for offset_steps in 0..3 loop
      starts := date_trunc(plan.unit, now()) + offset_steps * plan.step;
      part := partition_name(plan.parent, starts);
      if not is_busy and to_regclass(format('public.%I', part)) is null then
        begin
          execute format('create table public.%I partition of public.%I for values from (%L) to (%L)',
            part, plan.parent, starts, starts + plan.step);
          execute format('alter table public.%I enable row level security', part);
        exception
          when check_violation then
            -- The default partition already has rows of this period, so all rows of the period stay there.
            raise warning 'rows in the default partition of % keep % from being made', plan.parent, starts;
          when lock_not_available then
            -- An error only if it goes on for long: partitions are made three periods ahead.
            if starts <= now() + plan.step then
              raise;
            end if;
            is_busy := true;
        end;
      end if;
    end loop;
    if retention_days ->> plan.parent is null then
      continue;
    end if;
    oldest := now() - make_interval(days => (retention_days ->> plan.parent)::int);
    for old in
      select c.relname
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass(format('public.%I', plan.parent))
        and c.relname ~ ('^' || plan.parent || '_[0-9]{8}$')
        and to_timestamp(right(c.relname, 8), 'YYYYMMDD') + plan.step < oldest
    loop
      exit when is_busy;
      begin
        execute format('drop table public.%I', old.relname);
      exception when lock_not_available then
        is_busy := true;
      end;
    end loop;
    execute format('delete from public.%I where created_at < $1', plan.parent || '_default') using oldest;
  end loop;
end
$$;

revoke all on function maintain_partitions(json) from public;
grant execute on function maintain_partitions(json) to skein_server;

-- Run now, not when the first server starts: a row written before that, for example by bootstrap, would land in the
-- default partition and prevent the partition of its period from being created.
select maintain_partitions('{}');
