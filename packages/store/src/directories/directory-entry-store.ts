import type { ColumnsOfRow, RowOf } from '../database/columns.ts'
import { statement, type Statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

interface DirectoryTable<Columns extends ColumnsOfRow, Entry> {
  readonly find: Statement<RowOf<Columns>>
  readonly findByName: Statement<RowOf<Columns>>
  readonly findByExternalId: Statement<RowOf<Columns>>
  readonly list: Statement<RowOf<Columns>>
  readonly count: Statement<{ readonly amount: number }>
  readonly toEntry: (row: RowOf<Columns>) => Entry
}

/** How users and groups are found. The columns are those of an entry; names are compared by their key. */
export function directoryTable<const Columns extends ColumnsOfRow, Entry>(
  table: 'directory_user' | 'directory_group',
  nameKeyColumn: string,
  columns: Columns,
  toEntry: (row: RowOf<Columns>) => Entry,
): DirectoryTable<Columns, Entry> {
  const from = `from ${table} where tenant_id = skein_current_tenant() and directory = $1`
  const select = `select ${Object.keys(columns).join(', ')} ${from}`
  return {
    find: statement(`${table}_find`, `${select} and id = $2`, columns),
    findByName: statement(`${table}_find_by_name`, `${select} and ${nameKeyColumn} = $2`, columns),
    findByExternalId: statement(`${table}_find_by_external_id`, `${select} and external_id = $2`, columns),
    list: statement(`${table}_list`, `${select} order by created_at, id limit $2 offset $3`, columns),
    count: statement(`${table}_count`, `select count(*)::int as amount ${from}`, { amount: 'int' }),
    toEntry,
  }
}

/** Users or groups of one directory of the transaction's tenant. */
export abstract class DirectoryEntryStore<Columns extends ColumnsOfRow, Entry> {
  protected readonly transaction: Transaction
  protected readonly directory: string
  readonly #table: DirectoryTable<Columns, Entry>

  constructor(transaction: Transaction, directory: string, table: DirectoryTable<Columns, Entry>) {
    this.transaction = transaction
    this.directory = directory
    this.#table = table
  }

  find(id: string): Promise<Entry | undefined> {
    return this.#one(this.#table.find, id)
  }

  /** Whatever its case. */
  findByName(name: string): Promise<Entry | undefined> {
    return this.#one(this.#table.findByName, nameKey(name))
  }

  findByExternalId(externalId: string): Promise<Entry | undefined> {
    return this.#one(this.#table.findByExternalId, externalId)
  }

  /** Oldest first, so that new ones don't move the others. */
  async list(limit: number, offset: number): Promise<Entry[]> {
    const rows = await this.transaction.rows(this.#table.list, [this.directory, limit, offset])
    return rows.map(this.#table.toEntry)
  }

  async count(): Promise<number> {
    return (await this.transaction.row(this.#table.count, [this.directory]))?.amount ?? 0
  }

  async #one(query: Statement<RowOf<Columns>>, value: string): Promise<Entry | undefined> {
    const row = await this.transaction.row(query, [this.directory, value])
    return row && this.#table.toEntry(row)
  }
}

export function nameKey(name: string): string {
  return name.toLowerCase()
}
