import type { AuditEntry } from '@skein/contract'
import { AuditStore } from '@skein/store'
import { pageSizeOf, splitPage } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { decodePlace, encodePlace } from './audit-place.ts'
import { toEntry } from './list-audit.ts'

/**
 * An entry is committed slightly after its timestamp. A cursor already past that time would miss it, so the export
 * stays further behind than any command takes.
 */
const SETTLED_AFTER_MS = 60_000

interface ExportOptions {
  readonly from: number | undefined
  readonly after: string | undefined
  readonly pageSize: number | undefined
}

/** Oldest first. */
export async function exportAudit(
  { database, clock }: EngineResources,
  tenantId: string,
  options: ExportOptions,
): Promise<{ entries: AuditEntry[]; cursor: string; hasMore: boolean }> {
  const after = decodePlace('audit-export', options.after)
  const pageSize = pageSizeOf(options)
  const settled = { from: options.from, until: clock.now() - SETTLED_AFTER_MS }
  const records = await database.forTenant(tenantId, (transaction) =>
    new AuditStore(transaction).listOldest(settled, after, pageSize + 1),
  )
  const { shown } = splitPage(records, pageSize)
  const newest = shown.at(-1)
  return {
    entries: shown.map(toEntry),
    cursor: newest === undefined ? (options.after ?? '') : encodePlace('audit-export', newest),
    hasMore: records.length > shown.length,
  }
}
