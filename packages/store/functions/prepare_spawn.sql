-- What a spawn needs besides the tree, in the same round trip, once the tree is locked: the catalog's documents, and how
-- much the tenant uses. What the agent will use cannot be deleted until the transaction ends.
--
-- The workspace is locked before what it names, in the order a writer uses: the other order could deadlock with a delete
-- in between. Each is read in a statement after its lock, because one that does both may read the state from before it
-- waited. The persona is the wanted one, else the workspace's; the defaults are what a built-in workspace names.
create or replace function prepare_spawn(
  tenant uuid, workspace_name text, wanted_persona text, default_persona text, default_pool text, profile text, parent text
) returns json
language plpgsql
as $$
declare
  place text := tenant::text || '/';
  workspace json;
  pool_name text;
  persona_name text;
  live_children bigint := 0;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(place || 'workspace/' || workspace_name, 0));
  select r.document into workspace from resource r
  where r.tenant_id = tenant and r.kind = 'workspace' and r.name = workspace_name;
  pool_name := coalesce(nullif(workspace ->> 'pool', ''),
    case when workspace is null then nullif(default_pool, '') end, 'default');
  persona_name := coalesce(nullif(wanted_persona, ''), nullif(workspace ->> 'persona', ''),
    case when workspace is null then nullif(default_persona, '') end, 'default');
  perform pg_advisory_xact_lock_shared(hashtextextended(place || 'pool/' || pool_name, 0));
  if profile is not null then
    perform pg_advisory_xact_lock_shared(hashtextextended(place || 'profile/' || profile, 0));
  end if;
  -- A root has no parent: its siblings would be all other roots.
  if parent <> '' then
    select count(*) into live_children from agent a
    where a.tenant_id = tenant and a.parent_key = parent and not a.is_terminal;
  end if;
  return json_build_object('workspace', workspace, 'poolName', pool_name, 'personaName', persona_name,
    'liveChildren', live_children,
    'hasPool', exists (select from resource r where r.tenant_id = tenant and r.kind = 'pool' and r.name = pool_name
      and r.document is not null),
    'hasProfile', profile is not null and exists (select from resource r where r.tenant_id = tenant
      and r.kind = 'profile' and r.name = profile and r.document is not null),
    'persona', (select json_build_object('generation', r.generation::text, 'document', r.document) from resource r
      where r.tenant_id = tenant and r.kind = 'persona' and r.name = persona_name and r.document is not null),
    'backends', (select json_agg(json_build_object('name', b.name, 'document', b.document)) from (
      select r.name, r.document from resource r
      where r.tenant_id = tenant and r.kind = 'backend' and r.document is not null order by r.name limit 100) as b),
    'liveAgents', (select coalesce(sum(l.amount), 0)::bigint from live_agents l where l.tenant_id = tenant),
    'queuedBytes', (select coalesce(sum(q.amount), 0)::bigint from queued_bytes q where q.tenant_id = tenant));
end
$$;

grant execute on function prepare_spawn(uuid, text, text, text, text, text, text) to skein_server;
