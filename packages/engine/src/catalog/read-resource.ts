import { formatInt64, pullRequest, type Kind, type Resource } from '@skein/contract'
import { builtInFacts, resourceNotFound, seesResource, toPayload, type Viewer } from '@skein/core'
import { CatalogStore } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { findInstalled } from './installed.ts'
import { readPullRequest } from './pull-request-records.ts'

export async function readResource(
  engine: EngineResources,
  viewer: Viewer,
  { tenantId, kind, name }: { readonly tenantId: string; readonly kind: Kind; readonly name: string },
): Promise<Resource> {
  if (kind.kind === pullRequest.kind) {
    const payload = await engine.database.forTenant(tenantId, (transaction) =>
      readPullRequest(transaction, viewer, name),
    )
    return { kind: kind.kind, payload, inputFormat: kind.inputFormat, generation: '0' }
  }
  const record = await engine.database.forTenant(tenantId, (transaction) =>
    new CatalogStore(transaction).find({ kind: kind.kind, name }),
  )
  const document = record?.document ?? findInstalled(engine, kind.kind, name)
  if (document === undefined || !seesResource(viewer, kind, name, document))
    throw resourceNotFound(kind.kind, name)
  const facts = record?.document === undefined ? builtInFacts(name) : record
  return {
    kind: kind.kind,
    payload: toPayload(kind, document, facts),
    inputFormat: kind.inputFormat,
    generation: formatInt64(facts.generation),
  }
}
