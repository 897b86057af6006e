import { formatInt64, pullRequest, type Kind, type ResourceListEntry } from '@skein/contract'
import {
  builtInFacts,
  seesResource,
  toPayload,
  type Document,
  type ResourceFacts,
  type Viewer,
} from '@skein/core'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { installedOf } from './installed.ts'
import { listPullRequests } from './pull-request-records.ts'
import { listSeen } from './seen-resources.ts'

/** Sorted by name. A tenant's own resource replaces a built-in of the same name. */
export async function listResources(
  engine: EngineResources,
  viewer: Viewer,
  { tenantId, kind }: { readonly tenantId: string; readonly kind: Kind },
  page: Page,
): Promise<{ entries: ResourceListEntry[]; nextPageToken: string }> {
  const list = `resources/${kind.kind}`
  const [after = ''] = decodePageToken(list, page, /^[a-z0-9-]+$/) ?? []
  const pageSize = pageSizeOf(page)
  if (kind.kind === pullRequest.kind) {
    const found = await engine.database.forTenant(tenantId, (transaction) =>
      listPullRequests(transaction, viewer, { after, limit: pageSize + 1 }),
    )
    const { shown, last } = splitPage(found, pageSize)
    return {
      entries: [...shown],
      nextPageToken: last === undefined ? '' : encodePageToken(list, [last.name]),
    }
  }
  const stored = await engine.database.forTenant(tenantId, (transaction) =>
    listSeen(transaction, viewer, kind, { after, limit: pageSize + 1 }),
  )
  const byName = new Map<string, { document: Document; facts: ResourceFacts }>()
  for (const { name, document } of installedOf(engine, kind.kind)) {
    if (name > after && seesResource(viewer, kind, name, document))
      byName.set(name, { document, facts: builtInFacts(name) })
  }
  for (const record of stored) {
    if (record.document) byName.set(record.name, { document: record.document, facts: record })
  }
  const names = [...byName.keys()].sort()
  const { shown, last } = splitPage(names, pageSize)
  return {
    entries: shown.flatMap((name) => {
      const entry = byName.get(name)
      return entry ? [toEntry(kind, entry.document, entry.facts)] : []
    }),
    nextPageToken: last === undefined ? '' : encodePageToken(list, [last]),
  }
}

function toEntry(kind: Kind, document: Document, facts: ResourceFacts): ResourceListEntry {
  return {
    name: facts.name,
    payload: toPayload(kind, document, facts),
    generation: formatInt64(facts.generation),
    builtIn: facts.generation === 0n,
  }
}
