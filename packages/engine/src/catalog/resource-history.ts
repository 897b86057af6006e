import { formatInt64, formatTimestamp, type Kind, type ResourceVersion } from '@skein/contract'
import { findBuiltIn, resourceNotFound, seesResource, toPayload, type Viewer } from '@skein/core'
import { CatalogStore, type VersionAction, type VersionRecord } from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'

const ACTIONS = {
  created: 'ACTION_CREATED',
  updated: 'ACTION_UPDATED',
  deleted: 'ACTION_DELETED',
} as const satisfies Record<VersionAction, ResourceVersion['action']>

export async function resourceHistory(
  { database }: EngineResources,
  viewer: Viewer,
  { tenantId, kind, name }: { readonly tenantId: string; readonly kind: Kind; readonly name: string },
  page: Page,
): Promise<{ entries: ResourceVersion[]; nextPageToken: string }> {
  const ref = { kind: kind.kind, name }
  const list = `history/${kind.kind}/${name}`
  const [before] = decodePageToken(list, page, /^[0-9]{1,18}$/) ?? []
  const pageSize = pageSizeOf(page)
  const { record, versions } = await database.forTenant(tenantId, async (transaction) => {
    const catalog = new CatalogStore(transaction)
    const cursor = before === undefined ? undefined : BigInt(before)
    return {
      record: await catalog.find(ref),
      versions: await catalog.versionsBefore(ref, cursor, pageSize + 1),
    }
  })
  if (record === undefined && findBuiltIn(kind.kind, name) === undefined)
    throw resourceNotFound(kind.kind, name)
  const { shown, last } = splitPage(versions, pageSize)
  const seen = shown.filter(({ document }) => seesResource(viewer, kind, name, document))
  const isHidden = record?.document
    ? !seesResource(viewer, kind, name, record.document)
    : shown.length > 0 && seen.length === 0
  if (isHidden) throw resourceNotFound(kind.kind, name)
  return {
    entries: seen.map((version) => toEntry(kind, name, version)),
    nextPageToken: last === undefined ? '' : encodePageToken(list, [last.generation.toString()]),
  }
}

function toEntry(kind: Kind, name: string, version: VersionRecord): ResourceVersion {
  return {
    generation: formatInt64(version.generation),
    action: ACTIONS[version.action],
    payload: toPayload(kind, version.document, { ...version, name }),
    updateTime: formatTimestamp(version.updatedAt),
    updatedBy: version.updatedBy,
    justification: version.justification,
  }
}
