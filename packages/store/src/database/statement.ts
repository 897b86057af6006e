import type { ColumnsOfRow, RowOf } from './columns.ts'

/**
 * Named statements are parsed and planned once per connection. Unnamed ones are planned at every call, which halves
 * throughput (measured: docs/adr/0001).
 */
export interface Statement<Row = unknown> {
  readonly name: string
  readonly text: string
  /** The columns of each row. A test compares them with what PostgreSQL returns (docs/adr/0033). */
  readonly columns: ColumnsOfRow
  /** Never set: carries the row's type. */
  readonly row?: Row
}

const written: Statement[] = []

/** Without columns: only executed, returns no rows. */
export function statement(name: string, text: string): Statement<never>
export function statement<const Columns extends ColumnsOfRow>(
  name: string,
  text: string,
  columns: Columns,
): Statement<RowOf<Columns>>
export function statement(name: string, text: string, columns: ColumnsOfRow = {}): Statement {
  const made = { name, text, columns }
  written.push(made)
  return made
}

/** All statements of the loaded modules, for tests that check plans and columns. */
export function allStatements(): readonly Statement[] {
  return written
}
