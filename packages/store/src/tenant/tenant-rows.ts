import type { Transaction } from '../database/transaction.ts'
import { statement, type Statement } from '../database/statement.ts'

/**
 * Every table with rows of tenants, as the database knows them, so that a new one is never forgotten. A partition is
 * a table of its own: so each is read once.
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

/** The server may read partitions only through their parents, and not every table. */
const readableTables = statement(
  'tenant_readable_tables',
  `select c.relname::text as name
   from pg_class c
   join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and has_table_privilege(c.oid, 'select')
   order by c.relname`,
  { name: 'text' },
)

/** Found by their agent, not by the tenant, so they are deleted with their agents. */
export const FOUND_BY_AGENT: ReadonlySet<string> = new Set([
  'agent',
  'follow_up',
  'leftover',
  'lease',
  'run',
  'timeline',
  'timeline_segment',
  'timer',
])

/** Credentials. An export is handed to people, who must not be able to use or attack them. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'secret_sha256',
  'page_secret_sha256',
  'sealed',
  'request_sha256',
])

/** Rows that say nothing new: a segment whose events are in the table too, while its tenant moves to another cell. */
const WITHOUT: Readonly<Record<string, string>> = {
  timeline_segment:
    'not exists (select from timeline e where e.agent_id = t.agent_id and e.sequence = t.last_sequence)',
}

/** Few, because a row can have megabytes. */
const FETCH_ROWS = 10

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

/** Those whose rows are found by the tenant. */
export async function tablesOfTenants(transaction: Transaction): Promise<TenantTable[]> {
  return (await transaction.rows(tables, [])).filter(({ parent }) => !FOUND_BY_AGENT.has(parent))
}

const deleteRows = statement('delete_tenant_rows', 'select delete_tenant_rows($1, $2, $3) as amount', {
  amount: 'int',
})
const deleteAgents = statement('delete_tenant_agents', 'select delete_tenant_agents($1, $2, $3) as amount', {
  amount: 'int',
})

const deleteEvents = statement('delete_tenant_events', 'select delete_tenant_events($1, $2) as amount', {
  amount: 'int',
})

/** Small enough for one short statement. */
export const ROWS_AT_ONCE = 2_000
const AGENTS_AT_ONCE = 100

/** Deletes some rows of a closed tenant from one table. Fewer than ROWS_AT_ONCE were the last. */
export async function deleteTenantRows(
  transaction: Transaction,
  { name }: TenantTable,
  tenantId: string,
): Promise<number> {
  return (await transaction.row(deleteRows, [tenantId, name, ROWS_AT_ONCE]))?.amount ?? 0
}

/** Deletes some agents of a closed tenant with what belongs to them. Returns how many it looked at. */
export async function deleteTenantAgents(transaction: Transaction, tenantId: string): Promise<number> {
  return (await transaction.row(deleteAgents, [tenantId, AGENTS_AT_ONCE, ROWS_AT_ONCE]))?.amount ?? 0
}

/** Deletes some events of a closed tenant itself. Returns how many: 0 if there are no more. */
export async function deleteTenantEvents(transaction: Transaction, tenantId: string): Promise<number> {
  return (await transaction.row(deleteEvents, [tenantId, ROWS_AT_ONCE]))?.amount ?? 0
}

/** All rows of a tenant, without credentials, from one point in time. Must be the first use of the transaction. */
export async function readTenantRows(
  transaction: Transaction,
  tenantId: string,
  onRow: (table: string, row: object) => Promise<void>,
): Promise<void> {
  await transaction.query('set transaction isolation level repeatable read, read only')
  // Before the first select, which settles the point in time: a month that is dropped after it would be missing, although
  // its events were still there at that time. The segments that have them now were not.
  await transaction.query('lock table only timeline in access share mode')
  await transaction.query(`select set_config('skein.tenant', '${requireUuid(tenantId)}', true)`)
  // Of a table without an index by tenant, the first rows may be far apart.
  await transaction.query(`set local statement_timeout = '10min'`)
  // Each row of a batch may wait for its reader.
  await transaction.query(`set local idle_in_transaction_session_timeout = '10min'`)
  for (const { name } of await transaction.rows(readableTables, [])) {
    await transaction.query(
      `declare tenant_rows no scroll cursor for
       select to_json(t) as row from "${name}" t
       where tenant_id = '${requireUuid(tenantId)}' and ${WITHOUT[name] ?? 'true'}`,
    )
    for (;;) {
      const rows = await transaction.rows(fetchRows, [])
      for (const { row } of rows) await onRow(name, withoutCredentials(row))
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
