import { SkeinError, type Tenant } from '@skein/contract'
import { readTenantRows } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { rowsOfSegment } from '../timelines/rows-of-segment.ts'

/** Says where events are. An export has the events. */
const SEGMENTS = 'timeline_segment'

/** One line of an export. The first one says what it is. */
export type ExportLine =
  | { readonly format: 'skein-tenant-1'; readonly tenant: Tenant; readonly exportedAt: string }
  | { readonly table: string; readonly row: object }

interface ExportedTenant {
  readonly id: string
  readonly tenant: Tenant
}

/**
 * Everything the database holds of a tenant, from one point in time, without credentials: key hashes and sealed
 * values stay. Old events come from the blob store. With the server's login, tables that it cannot read are left out.
 */
export async function exportTenant(
  { database, clock, segments }: EngineResources,
  { id, tenant }: ExportedTenant,
  onLine: (line: ExportLine) => Promise<void>,
): Promise<void> {
  let isStarted = false
  await database.withoutTenant(async (transaction) => {
    // The database tries again what it had to abort, but these lines have been given out.
    if (isStarted) throw new SkeinError('DATABASE_BUSY')
    isStarted = true
    await onLine({ format: 'skein-tenant-1', tenant, exportedAt: new Date(clock.now()).toISOString() })
    await readTenantRows(transaction, id, async (table, row) => {
      if (table !== SEGMENTS) return onLine({ table, row })
      for await (const event of rowsOfSegment(segments, id, row))
        await onLine({ table: 'timeline', row: event })
    })
  })
}
