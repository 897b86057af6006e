import { findKind, type Kind } from '@skein/contract'
import { resourceNotFound, seesResource, type Caller, type Viewer } from '@skein/core'
import { CatalogStore, type ResourceRecord, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'

const BATCH = 500

/** Resources that the caller sees, by name. Pages are full, so that their length doesn't tell what is hidden. */
export async function listSeen(
  transaction: Transaction,
  viewer: Viewer,
  kind: Kind,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ResourceRecord[]> {
  const catalog = new CatalogStore(transaction)
  if (!viewer.teams) return catalog.listAfter(kind.kind, after, limit)
  const seen: ResourceRecord[] = []
  for (let from = after; ;) {
    const batch = await catalog.listAfter(kind.kind, from, BATCH)
    for (const record of batch) {
      if (isSeen(viewer, kind, record)) seen.push(record)
      if (seen.length === limit) return seen
    }
    const last = batch.at(-1)
    if (!last || batch.length < BATCH) return seen
    from = last.name
  }
}

/** A deleted resource counts as missing. */
function isSeen(viewer: Viewer, kind: Kind, { name, document }: ResourceRecord): boolean {
  return document !== undefined && seesResource(viewer, kind, name, document)
}

/**
 * For operations on one resource of a kind. A hidden one and a missing one are rejected here, at the same place, so
 * that nothing distinguishes them.
 */
export async function requireSeen(
  { database }: EngineResources,
  caller: Caller,
  tenantId: string,
  { kind: kindName, name }: { readonly kind: string; readonly name: string },
): Promise<void> {
  if (!caller.teams) return
  const kind = findKind(kindName)
  const record = await database.forTenant(tenantId, (transaction) =>
    new CatalogStore(transaction).find({ kind: kindName, name }),
  )
  if (!kind || !record || !isSeen(caller, kind, record)) throw resourceNotFound(kindName, name)
}
