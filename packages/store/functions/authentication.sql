-- Finds a key by its id before the tenant is known: a single row, only by its full primary key. When a tenant is being
-- deleted, its keys are revoked, except those of its runners, which still have to remove what they hold.
create or replace function authenticate_key(wanted_key_id text) returns table (
  key_id text,
  tenant_id uuid,
  tenant_provider text,
  tenant_org text,
  prefix text,
  kind text,
  name text,
  secret_sha256 bytea,
  owner_provider text,
  account text,
  role text,
  pools text[],
  all_tenants boolean,
  expires_at timestamptz,
  revoked_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select k.key_id, k.tenant_id, t.provider, t.org, k.prefix, k.kind, k.name, k.secret_sha256,
    k.owner_provider, k.account, k.role, k.pools, k.all_tenants, k.expires_at,
    coalesce(k.revoked_at, case when k.role <> 'runner' then t.closed_at end)
  from api_key k join tenant t on t.id = k.tenant_id
  where k.key_id = wanted_key_id;
end;

revoke all on function authenticate_key(text) from public;
grant execute on function authenticate_key(text) to skein_server;

-- Finds a session and the id of its key before the tenant is known, only by the full digests of both the cookie and the
-- page's secret. Ended and unknown sessions are indistinguishable.
create or replace function authenticate_session(wanted_sha256 bytea, wanted_page_sha256 bytea, at timestamptz)
returns table (session_id uuid, key_id text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  -- Materialized: a plan made while the table was empty may prefer the index on expires_at, and is kept.
  with found as materialized (select * from browser_session where secret_sha256 = wanted_sha256)
  select s.id, s.key_id from found s
  where s.page_secret_sha256 = wanted_page_sha256 and s.revoked_at is null and s.expires_at > at;
end;

revoke all on function authenticate_session(bytea, bytea, timestamptz) from public;
grant execute on function authenticate_session(bytea, bytea, timestamptz) to skein_server;

-- The document of the share link with this key id, which names the agent it shows. Null for a deleted link.
create or replace function authenticate_share(wanted_key_id text) returns json
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select r.document
  from api_key k
  join resource r on r.tenant_id = k.tenant_id and r.kind = k.kind and r.name = k.name
  where k.key_id = wanted_key_id and k.kind = 'share-link';
end;

revoke all on function authenticate_share(text) from public;
grant execute on function authenticate_share(text) to skein_server;

-- The teams of the account that a key acts for, and those that claims or groups of a directory gave to a person, each with
-- its role in it; null if there are none. Of two roles in a team, the one that allows more counts. Not a join, which would
-- be planned while the table is small.
create or replace function authenticate_teams(wanted_key_id text) returns json
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select (
    select json_object_agg(held.team, held.role)
    from (
      select distinct on (given.team) given.team, given.role
      from (
        select m.team, m.role from team_member m
        where m.tenant_id = k.tenant_id and m.owner_provider = k.owner_provider and m.account = k.account
        union all
        select c.key collate "C", c.value from jsonb_each_text(k.claimed_teams) c
        union all
        select d.key collate "C", d.value from jsonb_each_text(k.directory_teams) d
      ) given
      order by given.team, array_position(array['lead', 'member', 'viewer'], given.role)
    ) held
  )
  from api_key k where k.key_id = wanted_key_id;
end;

revoke all on function authenticate_teams(text) from public;
grant execute on function authenticate_teams(text) to skein_server;
