import type { ColumnsOfRow, RowOf } from './columns.ts'

/**
 * A named statement is parsed and planned once per connection. Unnamed ones are planned at every call, which
 * halves throughput (measured: docs/adr/0001).
 */
export interface Statement<Row = unknown> {
  readonly name: string
  readonly text: string
  /** What each row has. A test compares it with what PostgreSQL answers (docs/adr/0033). */
  readonly columns: ColumnsOfRow
  /** Never there: it carries the type of a row to whoever reads it. */
  readonly row?: Row
}

const written: Statement[] = []

/** Without columns for a statement that is only executed. */
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

/** Every statement of the modules that are loaded, for the tests that look at their plans and at their rows. */
export function allStatements(): readonly Statement[] {
  return written
}
