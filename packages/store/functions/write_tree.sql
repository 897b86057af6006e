-- What servers of the release before call instead of write_changes: one value with all parts in it.
create or replace function write_tree(tenant uuid, at timestamptz, changes json) returns void
language plpgsql
as $$
declare
  tally json := changes -> 'fleet';
  command_of json := changes -> 'command';
begin
  if tally is null then
    -- First, because it reads what the agents were.
    perform count_changes(tenant, at, changes);
  end if;
  perform write_changes(tenant, at, changes ->> 'actor', changes -> 'agents', changes -> 'events', tally,
    changes -> 'newFollowUps', changes -> 'followUps', changes -> 'queuedRuns',
    (select array_agg(e.id::uuid) from json_array_elements_text(changes -> 'endedRuns') as e(id)),
    changes -> 'newTimers', changes -> 'endedTimers', (changes -> 'liveDelta' ->> 'amount')::bigint,
    decode(command_of ->> 'id', 'hex'), decode(command_of ->> 'requestSha256', 'hex'), command_of -> 'answer');
  -- These agents do not say which of the events are theirs.
  insert into outbox (tenant_id, agent_id, first_sequence, last_sequence, created_at)
  select tenant, e."agentId", min(e.sequence), max(e.sequence), at
  from json_to_recordset(changes -> 'events') as e("agentId" uuid, sequence bigint)
  group by e."agentId";
end
$$;

grant execute on function write_tree(uuid, timestamptz, json) to skein_server;
