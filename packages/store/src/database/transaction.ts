import type { ClientBase, QueryResultRow } from 'pg'
import { isNullable } from './columns.ts'
import { inStatementSpan } from './in-statement-span.ts'
import type { Statement } from './statement.ts'

/** A transaction in progress, bound to one tenant or none. Stores are created from it. */
export class Transaction {
  readonly #sender: Pick<ClientBase, 'query'>
  #isEnded = false

  constructor(sender: Pick<ClientBase, 'query'>) {
    this.#sender = sender
  }

  /** Its COMMIT is on the way. A later statement would run without a tenant and find nothing, so it is refused. */
  end(): void {
    this.#isEnded = true
  }

  get #client(): Pick<ClientBase, 'query'> {
    if (this.#isEnded) throw new Error('A statement was sent after the COMMIT of its transaction')
    return this.#sender
  }

  async rows<Row extends QueryResultRow>(query: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const { name, text } = query
    const { rows } = await inStatementSpan(name, () =>
      this.#client.query<Row>({ name, text, values: [...values] }),
    )
    requireValues(query, rows)
    return rows
  }

  async row<Row extends QueryResultRow>(
    query: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    const [row] = await this.rows(query, values)
    return row
  }

  /** For the few statements that don't need a name. */
  async query(text: string): Promise<{ rows: readonly unknown[] }> {
    return this.#client.query(text)
  }

  async execute({ name, text }: Statement, values: readonly unknown[]): Promise<number> {
    const result = await inStatementSpan(name, () => this.#client.query({ name, text, values: [...values] }))
    return result.rowCount ?? 0
  }
}

/** PostgreSQL doesn't say in advance which expressions can be null, so the rows are checked. */
function requireValues({ name, columns }: Statement, rows: readonly QueryResultRow[]): void {
  for (const column in columns) {
    const declared = columns[column]
    if (declared === undefined || isNullable(declared)) continue
    for (const row of rows) {
      if (row[column] === null || row[column] === undefined) {
        throw new Error(`The statement ${name} answered nothing for ${column}`)
      }
    }
  }
}
