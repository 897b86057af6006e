-- For servers of the release before: prepare_spawn does it now.
--
-- The documents a spawn needs, in one statement that binds itself to its tenant. The persona is the wanted one, else the
-- workspace's; the default is what a built-in workspace names.
create or replace function read_spawn_catalog(
  tenant uuid, workspace_name text, wanted_persona text, default_persona text
) returns table (workspace json, persona_name text, persona_generation bigint, persona json, backends json)
language plpgsql stable
as $$
begin
  perform set_config('skein.tenant', tenant::text, true);
  select r.document into workspace from resource r
  where r.tenant_id = tenant and r.kind = 'workspace' and r.name = workspace_name;
  persona_name := coalesce(nullif(wanted_persona, ''), nullif(workspace ->> 'persona', ''),
    case when workspace is null then nullif(default_persona, '') end, 'default');
  select r.generation, r.document into persona_generation, persona from resource r
  where r.tenant_id = tenant and r.kind = 'persona' and r.name = persona_name and r.document is not null;
  select json_agg(json_build_object('name', b.name, 'document', b.document)) into backends from (
    select r.name, r.document from resource r
    where r.tenant_id = tenant and r.kind = 'backend' and r.document is not null order by r.name limit 100) as b;
  return next;
end
$$;

grant execute on function read_spawn_catalog(uuid, text, text, text) to skein_server;
