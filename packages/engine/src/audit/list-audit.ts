import { formatInt64, formatTimestamp, type AuditEntry } from '@skein/contract'
import { PROVIDERS, ROLES } from '@skein/contract/facts'
import { bounded } from '@skein/core'
import { AuditFeedStore, AuditStore, type AuditFilter, type ListedAudit } from '@skein/store'
import { pageSizeOf, splitPage, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { formatAuditCursor } from './audit-cursor.ts'
import { decodePlace, encodePlace } from './audit-place.ts'

/** Newest first. */
export async function listAudit(
  { database, clock, cell }: EngineResources,
  tenantId: string,
  filter: AuditFilter,
  page: Page,
): Promise<{ entries: AuditEntry[]; nextPageToken: string; cursor: string }> {
  const before = decodePlace('audit', page.pageToken)
  const pageSize = pageSizeOf(page)
  const at = clock.now()
  const { snapshot, records } = await database.forTenant(tenantId, async (transaction) => ({
    // Read first: a commit in between is then both listed and watched.
    snapshot: bounded(await new AuditFeedStore(transaction).snapshot()),
    records: await new AuditStore(transaction).list(filter, before, pageSize + 1),
  }))
  const { shown, last } = splitPage(records, pageSize)
  return {
    entries: shown.map(toEntry),
    nextPageToken: last === undefined ? '' : encodePlace('audit', last),
    cursor: formatAuditCursor(cell, { progress: snapshot, at }),
  }
}

export function toEntry(record: ListedAudit): AuditEntry {
  return {
    id: record.id,
    time: formatTimestamp(record.at),
    operation: record.operation,
    kind: record.kind,
    name: record.name,
    generation: formatInt64(record.generation),
    ownerProvider: PROVIDERS.find((provider) => provider === record.ownerProvider) ?? 'PROVIDER_UNSPECIFIED',
    account: record.account,
    role: ROLES.find((role) => role === record.role) ?? 'viewer',
    token: record.token,
    justification: record.justification,
    requestId: record.requestId,
    address: record.address,
    detail: record.detail,
    times: formatInt64(record.times),
  }
}
