-- For servers of the release before: prepare_spawn does it now.
--
-- Prevents resources from being deleted until the transaction ends, and returns those that exist. Locks them in the given
-- order and reads in a later statement, because one that does both may read the state from before it waited.
create or replace function hold_resources(kinds text[], names text[]) returns table (kind text, name text)
language plpgsql
as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock_shared(
    hashtextextended(skein_current_tenant() || '/' || wanted.kind || '/' || wanted.name, 0))
  from unnest(kinds, names) with ordinality as wanted(kind, name, place) order by wanted.place;
  return query select wanted.kind, wanted.name from unnest(kinds, names) as wanted(kind, name)
    where exists (select from resource r
      where r.tenant_id = skein_current_tenant() and r.kind = wanted.kind and r.name = wanted.name
        and r.document is not null);
end
$$;

grant execute on function hold_resources(text[], text[]) to skein_server;
