import type { ClientBase, QueryResultRow } from 'pg'
import type { Statement } from './statement.ts'

/** A transaction in progress, bound to one tenant or to none. Stores are made from it. */
export class Session {
  readonly #client: Pick<ClientBase, 'query'>

  constructor(client: Pick<ClientBase, 'query'>) {
    this.#client = client
  }

  /** The row type is the one promise that the compiler cannot check: each store makes it beside its SQL. */
  async rows<Row extends QueryResultRow>(query: Statement, values: readonly unknown[]): Promise<Row[]> {
    const result = await this.#client.query<Row>({ ...query, values: [...values] })
    return result.rows
  }

  async row<Row extends QueryResultRow>(
    query: Statement,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    const [row] = await this.rows<Row>(query, values)
    return row
  }

  /** For the few statements that are not worth a name. */
  async query(text: string): Promise<{ rows: readonly unknown[] }> {
    return this.#client.query(text)
  }

  async execute(query: Statement, values: readonly unknown[]): Promise<number> {
    const result = await this.#client.query({ ...query, values: [...values] })
    return result.rowCount ?? 0
  }
}
