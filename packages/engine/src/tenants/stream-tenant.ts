import { formatInt64, formatTimestamp, SkeinError, type TenantExportLine } from '@skein/contract'
import { nameOfTenant, requireJustification, requireOpenTenant, type Caller } from '@skein/core'
import type { TenantRecord } from '@skein/store'
import { recordAudit } from '../audit/record-audit.ts'
import type { EngineResources } from '../resources.ts'
import { exportTenant, type ExportLine } from './export-tenant.ts'
import { handOver } from './handover.ts'
import { requireTenant } from './manage-tenants.ts'

/** How long a row waits for its reader: less than the database lets a transaction wait for a batch of rows. */
const PATIENCE_MS = 20_000
/** So long the database has to keep what was deleted meanwhile. For more there is `skein-server export-tenant`. */
const MAX_MS = 60 * 60 * 1000

/** One at a time: each has a connection for as long as it takes. */
const exporting = new WeakSet<EngineResources['database']>()

interface ExportRequest {
  readonly caller: Caller
  readonly requestId: string
  readonly address: string
  readonly justification: string
}

interface TenantExport {
  readonly lines: AsyncGenerator<TenantExportLine>
  /** Aborted when the reader stopped reading, so that nobody has to wait for it. */
  readonly stalled: AbortSignal
}

/** Recorded in the audit of the tenant before the first line. */
export async function openTenantExport(
  engine: EngineResources,
  request: ExportRequest,
  tenantId: string,
  patienceMs = PATIENCE_MS,
): Promise<TenantExport> {
  const { justification } = request
  requireJustification(request.caller, justification)
  const { database, clock } = engine
  const record = await database.statement((transaction) => requireTenant(transaction, tenantId))
  requireOpenTenant(record)
  if (exporting.has(database)) throw new SkeinError('EXPORT_IN_PROGRESS', { retryDelayMs: 10_000 })
  await database.forTenant(tenantId, (transaction) =>
    recordAudit(transaction, request, {
      operation: 'exportTenant',
      kind: 'tenant',
      name: nameOfTenant(record.tenant),
      at: clock.now(),
      justification,
    }),
  )
  const stalled = new AbortController()
  const lines = linesOf(engine, record, patienceMs, () => stalled.abort())
  return { lines, stalled: stalled.signal }
}

async function* linesOf(
  engine: EngineResources,
  record: TenantRecord,
  patienceMs: number,
  onStalled: () => void,
): AsyncGenerator<TenantExportLine> {
  const { database } = engine
  if (exporting.has(database)) throw new SkeinError('EXPORT_IN_PROGRESS', { retryDelayMs: 10_000 })
  let isOver = false
  // The next export waits for the connection, not for the reader of this one.
  const produce = async (put: (line: ExportLine) => Promise<void>) => {
    exporting.add(database)
    try {
      await exportTenant(engine, record, put)
    } catch (error) {
      // A reader that waits for a line gets the error before.
      setImmediate(() => isOver || onStalled())
      throw error
    } finally {
      exporting.delete(database)
    }
  }
  try {
    const ends = performance.now() + MAX_MS
    let rows = 0n
    const lines = handOver<ExportLine>(produce, patienceMs)
    for await (const line of lines) {
      if (performance.now() > ends) throw new Error('The export took too long')
      if ('table' in line) rows += 1n
      yield toLine(line)
    }
    yield { ...EMPTY, type: 'EXPORT_FINISHED', rows: formatInt64(rows) }
  } finally {
    isOver = true
  }
}

const EMPTY = { format: '', exportTime: '', table: '', row: {}, rows: '0' } as const

function toLine(line: ExportLine): TenantExportLine {
  if ('table' in line) return { ...EMPTY, type: 'EXPORT_ROW', ...line }
  const { format, tenant, exportedAt } = line
  const exportTime = formatTimestamp(Date.parse(exportedAt))
  return { ...EMPTY, type: 'EXPORT_STARTED', format, tenant, exportTime }
}
