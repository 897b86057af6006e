import type { Tenant } from '@skein/contract'
import { findAnyTenant, readTenantRows } from '@skein/store'
import type { EngineResources } from './resources.ts'

/** One line of an export. The first one says what it is. */
export type ExportLine =
  | { readonly format: 'skein-tenant-1'; readonly tenant: Tenant; readonly exportedAt: string }
  | { readonly table: string; readonly row: object }

/**
 * Everything the database holds of a tenant, from one point in time, without credentials: key hashes and sealed
 * values stay. Needs the owner login. False if the tenant doesn't exist.
 */
export function exportTenant(
  { database, clock }: EngineResources,
  tenant: Tenant,
  onLine: (line: ExportLine) => Promise<void>,
): Promise<boolean> {
  return database.withoutTenant(async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only')
    const found = await findAnyTenant(transaction, tenant)
    if (!found) return false
    const exportedAt = new Date(clock.now()).toISOString()
    await onLine({ format: 'skein-tenant-1', tenant, exportedAt })
    await readTenantRows(transaction, found.id, (table, row) => onLine({ table, row }))
    return true
  })
}
