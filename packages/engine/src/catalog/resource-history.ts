import { formatInt64, formatTimestamp, type Kind, type ResourceVersion } from '@skein/contract'
import { findBuiltIn, resourceNotFound, toPayload } from '@skein/core'
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
  tenantId: string,
  kind: Kind,
  name: string,
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
  return {
    entries: shown.map((version) => toEntry(kind, name, version)),
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
