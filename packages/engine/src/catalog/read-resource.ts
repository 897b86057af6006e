import { formatInt64, type Kind, type Resource } from '@skein/contract'
import { builtInFacts, findBuiltIn, resourceNotFound, toPayload } from '@skein/core'
import { CatalogStore } from '@skein/store'
import type { EngineResources } from '../resources.ts'

export async function readResource(
  { database }: EngineResources,
  tenantId: string,
  kind: Kind,
  name: string,
): Promise<Resource> {
  const record = await database.forTenant(tenantId, (session) =>
    new CatalogStore(session).find({ kind: kind.kind, name }),
  )
  const document = record?.document ?? findBuiltIn(kind.kind, name)
  if (document === undefined) throw resourceNotFound(kind.kind, name)
  const facts = record?.document === undefined ? builtInFacts(name) : record
  return {
    kind: kind.kind,
    payload: toPayload(kind, document, facts),
    inputFormat: kind.inputFormat,
    generation: formatInt64(facts.generation),
  }
}
