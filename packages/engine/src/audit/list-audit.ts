import { formatInt64, formatTimestamp, type AuditEntry } from '@skein/contract'
import { PROVIDERS, ROLES } from '@skein/contract/facts'
import { AuditStore, type AuditFilter, type ListedAudit } from '@skein/store'
import { pageSizeOf, splitPage, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { decodePlace, encodePlace } from './audit-place.ts'

/** Newest first. */
export async function listAudit(
  { database }: EngineResources,
  tenantId: string,
  filter: AuditFilter,
  page: Page,
): Promise<{ entries: AuditEntry[]; nextPageToken: string }> {
  const before = decodePlace('audit', page.pageToken)
  const pageSize = pageSizeOf(page)
  const records = await database.forTenant(tenantId, (transaction) =>
    new AuditStore(transaction).list(filter, before, pageSize + 1),
  )
  const { shown, last } = splitPage(records, pageSize)
  return {
    entries: shown.map(toEntry),
    nextPageToken: last === undefined ? '' : encodePlace('audit', last),
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
