import type { ColumnsOfRow, RowOf } from './columns.ts'
import { statement } from './statement.ts'
import type { Transaction } from './transaction.ts'

/** What a server has room for. */
export interface WantedWork {
  readonly amount: number
  /** How long nobody else takes it. */
  readonly holdMs: number
  /** Tenants that have as much as they may. */
  readonly busyTenants: readonly string[]
}

/**
 * Takes due work of all tenants, for the loops of servers and never for callers. The function of the database has the
 * name of the statement and returns these columns.
 */
export function takingDue<const Columns extends ColumnsOfRow, Held>(
  name: string,
  columns: Columns,
  toHeld: (row: RowOf<Columns>) => Held,
): (transaction: Transaction, wanted: WantedWork) => Promise<Held[]> {
  const take = statement(name, `select ${Object.keys(columns).join(', ')} from ${name}($1, $2, $3)`, columns)
  return async (transaction, { amount, holdMs, busyTenants }) => {
    const rows = await transaction.rows(take, [amount, holdMs, busyTenants])
    return rows.map(toHeld)
  }
}
