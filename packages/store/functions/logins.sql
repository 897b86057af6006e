-- Command lines that wait to be confirmed have no tenant yet. Each function finds one by its full id or code.

-- Adds one, unless the address, its network or the service has too many. False if it has.
create or replace function start_login(
  new_id uuid, new_user_code bytea, new_port integer, new_challenge text, new_host_name text, new_address text,
  new_network text, at timestamptz, ends_at timestamptz, poll_seconds integer, most_of_address integer,
  most_of_network integer, most integer
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  if (select count(*) from login l where l.address = new_address and l.expires_at > at) >= most_of_address
    or (select count(*) from login l where l.network = new_network and l.expires_at > at) >= most_of_network
    or (select count(*) from (select 1 from login l where l.expires_at > at limit most) counted) >= most
  then
    return false;
  end if;
  insert into login (id, user_code, port, code_challenge, host_name, address, network, created_at, expires_at,
    interval_seconds)
  values (new_id, new_user_code, new_port, new_challenge, new_host_name, new_address, new_network, at, ends_at,
    poll_seconds)
  -- A code that somebody else has just now: the command line asks again.
  on conflict (user_code) do nothing;
  return found;
end
$$;

revoke all on function start_login(uuid, bytea, integer, text, text, text, text, timestamptz, timestamptz, integer, integer, integer, integer) from public;
grant execute on function start_login(uuid, bytea, integer, text, text, text, text, timestamptz, timestamptz, integer, integer, integer, integer) to skein_server;

-- For the person who decides. One with a code is found only by its code: a link alone must not lead to it.
create or replace function find_login(wanted_id uuid, wanted_codes bytea[], at timestamptz)
returns table (id uuid, port integer, host_name text, address text, created_at timestamptz, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select l.id, l.port, l.host_name, l.address, l.created_at, l.expires_at
  from login l
  where ((l.id = wanted_id and l.port is not null) or l.user_code = any(wanted_codes))
    and l.decided_at is null and l.expires_at > at;
end;

revoke all on function find_login(uuid, bytea[], timestamptz) from public;
grant execute on function find_login(uuid, bytea[], timestamptz) to skein_server;

-- Once. A null key refuses.
create or replace function decide_login(
  wanted_id uuid, at timestamptz, for_key_id text, in_session_id uuid, ends_at timestamptz, of_provider_session text,
  new_code bytea
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  update login l set decided_at = at, key_id = for_key_id, session_id = in_session_id, session_ends_at = ends_at,
    provider_session = of_provider_session, code_sha256 = new_code
  where l.id = wanted_id and l.decided_at is null and l.expires_at > at;
  return found;
end
$$;

revoke all on function decide_login(uuid, timestamptz, text, uuid, timestamptz, text, bytea) from public;
grant execute on function decide_login(uuid, timestamptz, text, uuid, timestamptz, text, bytea) to skein_server;

-- For the command line that waits.
create or replace function read_login(wanted_id uuid, at timestamptz)
returns table (
  port integer, code_challenge text, host_name text, decided_at timestamptz, key_id text,
  session_id uuid, session_ends_at timestamptz, provider_session text, code_sha256 bytea
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select l.port, l.code_challenge, l.host_name, l.decided_at, l.key_id, l.session_id, l.session_ends_at,
    l.provider_session, l.code_sha256
  from login l where l.id = wanted_id and l.expires_at > at;
end;

revoke all on function read_login(uuid, timestamptz) from public;
grant execute on function read_login(uuid, timestamptz) to skein_server;

-- Notes that it asked. Returns how many seconds it should have waited; asking too early makes the interval longer.
create or replace function poll_login(wanted_id uuid, at timestamptz) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  known login;
begin
  select * into known from login l where l.id = wanted_id for update;
  -- A second early is not impatience: clocks and networks differ.
  if known.polled_at + make_interval(secs => known.interval_seconds - 1) > at then
    update login l set interval_seconds = least(l.interval_seconds + 5, 60), polled_at = at where l.id = wanted_id;
    return least(known.interval_seconds + 5, 60);
  end if;
  update login l set polled_at = at where l.id = wanted_id;
  return 0;
end
$$;

revoke all on function poll_login(uuid, timestamptz) from public;
grant execute on function poll_login(uuid, timestamptz) to skein_server;

-- Works once: false if somebody else took it.
create or replace function take_login(wanted_id uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
  delete from login l where l.id = wanted_id;
  return found;
end
$$;

revoke all on function take_login(uuid) from public;
grant execute on function take_login(uuid) to skein_server;

-- Finds the session of a command line before the tenant is known. The service has sealed its id, so it is not guessed.
create or replace function authenticate_command_line(wanted_id uuid, at timestamptz)
returns table (session_id uuid, key_id text, session_ends_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select s.id, s.key_id, s.expires_at from browser_session s
  where s.id = wanted_id and s.kind = 'command-line' and s.revoked_at is null and s.expires_at > at;
end;

revoke all on function authenticate_command_line(uuid, timestamptz) from public;
grant execute on function authenticate_command_line(uuid, timestamptz) to skein_server;
