import {
  compareTable,
  copyOutbox,
  digestOutbox,
  isCopiedByRow,
  removeRows,
  syncChanges,
  syncTable,
  type Horizon,
  type MoveTable,
  type SyncOptions,
} from '@skein/store'
import { checkAuditChain, moveAuditSeals } from './audit-chain.ts'
import { connectionsOf, type Cells } from './cells.ts'
import { differentSealed, isSealedTable, resealRow } from './sealed-columns.ts'

export interface TenantCopy {
  readonly cells: Cells
  readonly tenantId: string
  readonly tables: readonly MoveTable[]
  /** Entries of the audit log before this may have expired. */
  readonly expiredBefore: number
  readonly now: () => number
  /** Told of every batch, before the next. */
  readonly onBatch?: (table: string, rows: number) => Promise<void>
}

/**
 * Copies the rows that are missing or different in the target. Returns how many. If it is known when the last complete copy
 * began, only what was written since is compared.
 */
export async function copyRows(
  { cells, tenantId, tables, onBatch }: TenantCopy,
  since?: Horizon,
): Promise<number> {
  const connections = connectionsOf(cells)
  let copied = 0
  for (const table of tables.filter(isCopiedByRow)) {
    const options: SyncOptions = {
      tenantId,
      reseal: (of, row) => resealRow(cells, tenantId, of, row),
      ...(onBatch && { onBatch: ({ name }, rows) => onBatch(name, rows) }),
    }
    // Two seals of one value differ, so rows are not compared by them.
    const isDifferent = isSealedTable(table) && !(await differentSealed(cells, table, tenantId).next()).done
    if (isDifferent) await removeRows(cells.target.connection, table, tenantId)
    copied +=
      since === undefined || isDifferent
        ? await syncTable(connections, table, options)
        : await syncChanges(connections, table, since, options)
  }
  return copied
}

/** What is complete only when nothing changes any more. */
export async function copyRest({ cells, tenantId, expiredBefore, now }: TenantCopy): Promise<void> {
  await copyOutbox(connectionsOf(cells), tenantId)
  await moveAuditSeals(cells, { tenantId, expiredBefore }, now())
}

/** Everything in which the two cells differ. */
export async function checkCopy({ cells, tenantId, tables, expiredBefore }: TenantCopy): Promise<string[]> {
  const problems: string[] = []
  const connections = connectionsOf(cells)
  for (const table of tables.filter(isCopiedByRow)) {
    const difference = await compareTable(connections, table, tenantId)
    if (difference) {
      const { sourceRows, targetRows, groups } = difference
      problems.push(
        `${table.name}: ${sourceRows} rows here, ${targetRows} there, ${groups.length} groups differ`,
      )
    }
  }
  for (const table of tables.filter(isSealedTable)) {
    for await (const different of differentSealed(cells, table, tenantId)) problems.push(different)
  }
  const outboxes = await Promise.all(
    [connections.source, connections.target].map((connection) => digestOutbox(connection, tenantId)),
  )
  if (outboxes[0] !== outboxes[1]) problems.push('outbox: what integrations have not read differs')
  problems.push(...(await checkAuditChain(cells.target, { tenantId, expiredBefore })))
  return problems
}
