import type { Transaction } from '../database/transaction.ts'
import { statement, type Statement } from '../database/statement.ts'

/**
 * Every table with rows of tenants, as the database knows them, so that a new one is never forgotten. A partition is
 * a table of its own: it is read once, instead of once for each batch.
 */
const tables = statement(
  'tenant_tables',
  `select c.relname::text as name, coalesce(p.relname, c.relname)::text as parent
   from pg_class c
   join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   left join pg_inherits i on i.inhrelid = c.oid
   left join pg_class p on p.oid = i.inhparent
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
   -- Keys first: from then on nobody can write rows for the tenant.
   order by c.relname <> 'api_key', c.relname`,
  { name: 'text', parent: 'text' },
)

/** Credentials. An export is handed to people, who must not be able to use or attack them. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'secret_sha256',
  'page_secret_sha256',
  'sealed',
  'request_sha256',
])

const FETCH_ROWS = 500

/** Unnamed: a cursor's columns are known only while it is open. */
const fetchRows: Statement<{ row: unknown }> = {
  name: '',
  text: `fetch ${FETCH_ROWS} from tenant_rows`,
  columns: {},
}

interface TenantTable {
  /** The table or partition. */
  readonly name: string
  /** The table as the schema names it. */
  readonly parent: string
}

export function tablesOfTenants(transaction: Transaction): Promise<TenantTable[]> {
  return transaction.rows(tables, [])
}

/** Deletes all rows of a tenant from one table. Needs the owner login. */
export async function deleteTenantRows(
  transaction: Transaction,
  { name }: TenantTable,
  tenantId: string,
): Promise<number> {
  await transaction.query('set local statement_timeout = 0')
  return transaction.execute(
    { name: '', text: `delete from "${name}" where tenant_id = '${requireUuid(tenantId)}'`, columns: {} },
    [],
  )
}

const remove = statement('tenant_delete', 'delete from tenant where id = $1')

/** The last step: fails while any table with a reference to it has rows. */
export async function deleteTenantRow(transaction: Transaction, tenantId: string): Promise<void> {
  await transaction.execute(remove, [tenantId])
}

/** All rows of a tenant, without credentials. Needs the owner login. */
export async function readTenantRows(
  transaction: Transaction,
  tenantId: string,
  onRow: (table: string, row: object) => Promise<void>,
): Promise<void> {
  await transaction.query('set local statement_timeout = 0')
  for (const { name, parent } of await tablesOfTenants(transaction)) {
    await transaction.query(
      `declare tenant_rows no scroll cursor for
       select to_json(t) as row from "${name}" t where tenant_id = '${requireUuid(tenantId)}'`,
    )
    for (;;) {
      const rows = await transaction.rows(fetchRows, [])
      for (const { row } of rows) await onRow(parent, withoutCredentials(row))
      if (rows.length < FETCH_ROWS) break
    }
    await transaction.query('close tenant_rows')
  }
}

/** `row` is what to_json makes of a row: an object. */
function withoutCredentials(row: unknown): object {
  return Object.fromEntries(Object.entries(row ?? {}).filter(([column]) => !CREDENTIALS.has(column)))
}

function requireUuid(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new TypeError('A tenant id is a UUID')
  return id
}
