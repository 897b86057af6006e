create or replace function is_ended(phase text) returns boolean
language sql immutable
return phase in ('PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED');

create or replace function is_asking(phase text, state json) returns boolean
language sql immutable
return coalesce(not is_ended(phase) and state ->> 'needsInput' <> '', false);

-- Null for a live agent.
create or replace function hour_of_end(phase text, state json) returns timestamptz
language sql immutable
return case when is_ended(phase)
  then date_trunc('hour', to_timestamp((state ->> 'endedAt')::bigint / 1000.0), 'UTC') end;
