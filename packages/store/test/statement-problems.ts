import type { Client, Connection, FieldDef, Submittable } from 'pg'
import { isNullable, typeOf } from '../src/database/columns.ts'
import type { Statement } from '../src/database/statement.ts'

/** Asks PostgreSQL what a statement would answer, without executing it. */
class Description implements Submittable {
  readonly #text: string
  readonly #fields = Promise.withResolvers<readonly FieldDef[]>()
  #described: readonly FieldDef[] = []

  constructor(text: string) {
    this.#text = text
  }

  get fields(): Promise<readonly FieldDef[]> {
    return this.#fields.promise
  }

  submit(connection: Connection): void {
    connection.parse({ name: '', text: this.#text, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.sync()
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#described = fields
  }

  handleReadyForQuery(): void {
    this.#fields.resolve(this.#described)
  }

  handleError(error: unknown): void {
    this.#fields.reject(error)
  }
}

/** Where the columns that statements declare differ from those that PostgreSQL answers. */
export async function problemsOf(client: Client, statements: readonly Statement[]): Promise<string[]> {
  const problems: string[] = []
  for (const { name, text, columns } of statements) {
    const description = new Description(text)
    client.query(description)
    const fields = await description.fields.catch((error: unknown) => String(error))
    if (typeof fields === 'string') {
      problems.push(`${name}: ${fields}`)
      continue
    }
    const answered = await describeFields(client, fields)
    for (const { column, type, isNull } of answered) {
      const declared = columns[column]
      // Functions that are only executed answer nothing, in a column of its own.
      if (type === 'void' && declared === undefined) continue
      if (declared === undefined) problems.push(`${name}.${column} is not declared`)
      else if (typeOf(declared) !== type)
        problems.push(`${name}.${column} is ${type}, not ${typeOf(declared)}`)
      else if (isNull && !isNullable(declared)) problems.push(`${name}.${column} can be null`)
    }
    const names = new Set(answered.map(({ column }) => column))
    if (names.size < answered.length) problems.push(`${name} answers two columns of one name`)
    for (const column of Object.keys(columns)) {
      if (!names.has(column)) problems.push(`${name}.${column} is not answered`)
    }
  }
  return problems
}

interface Answered {
  readonly column: string
  readonly type: string
  /** Of a column of a table whether it can be null; of anything else PostgreSQL does not say, and Transaction looks. */
  readonly isNull: boolean
}

/** By the short names that declarations use. */
const SHORT: Readonly<Record<string, string>> = {
  'double precision': 'float8',
  integer: 'int',
  'timestamp with time zone': 'timestamptz',
}

async function describeFields(client: Client, fields: readonly FieldDef[]): Promise<Answered[]> {
  const { rows } = await client.query<{ type: string; is_null: boolean }>(
    `select format_type(f.type, null) as type, coalesce(not a.attnotnull, false) as is_null
     from unnest($1::oid[], $2::oid[], $3::int[]) with ordinality as f(type, relation, number, place)
     left join pg_class c on c.oid = f.relation and c.relkind in ('r', 'p')
     left join pg_attribute a on a.attrelid = c.oid and a.attnum = f.number
     order by f.place`,
    [
      fields.map(({ dataTypeID }) => dataTypeID),
      fields.map(({ tableID }) => tableID),
      fields.map(({ columnID }) => columnID),
    ],
  )
  return rows.map((row, index) => ({
    column: fields[index]?.name ?? '',
    type: SHORT[row.type] ?? row.type,
    isNull: row.is_null,
  }))
}
