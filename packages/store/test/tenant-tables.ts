import { escapeIdentifier, type Client } from 'pg'

/** A table of the public schema, as the system catalogs describe it. */
export interface FoundTable {
  readonly name: string
  /** The column that says whose a row is; undefined for a table that is not any tenant's. */
  readonly tenantColumn: string | undefined
  readonly isPartition: boolean
  readonly isSecured: boolean
}

/** Every table, including partitions: also finds tables nobody thought of. */
export async function findTables(owner: Client): Promise<FoundTable[]> {
  const { rows } = await owner.query<{
    name: string
    tenant_column: string | null
    is_partition: boolean
    is_secured: boolean
  }>(
    `select c.relname as name, c.relispartition as is_partition, c.relrowsecurity as is_secured,
       (select a.attname from pg_attribute a
        where a.attrelid = c.oid and not a.attisdropped
          and (a.attname = 'tenant_id' or (c.relname = 'tenant' and a.attname = 'id'))) as tenant_column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p')
     order by c.relname`,
  )
  return rows.map((row) => ({
    name: row.name,
    tenantColumn: row.tenant_column ?? undefined,
    isPartition: row.is_partition,
    isSecured: row.is_secured,
  }))
}

/** Values that differ from row to row, in order, which is quickest. Times are to come, so that nothing of it is due. */
const MANY: Readonly<Record<string, string>> = {
  uuid: `('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`,
  text: `lpad(n::text, 20, '0')`,
  bytea: `int8send(n)`,
  bool: 'n % 2 = 0',
  int2: 'n % 30000',
  int4: 'n',
  int8: 'n',
  json: `'{}'`,
  jsonb: `'{}'`,
  timestamptz: `now() + interval '12 hours' + n * interval '1 ms'`,
  _text: `'{}'`,
  _timestamptz: `array['-infinity'::timestamptz]`,
  xid8: 'pg_current_xact_id()',
}

/** Rows of other tenants, in whatever tables there are. */
export async function insertMany(owner: Client, tenantIds: readonly string[], count: number): Promise<void> {
  const tables = await findTables(owner)
  for (const table of tables.filter(
    ({ tenantColumn, isPartition }) => tenantColumn === 'tenant_id' && !isPartition,
  )) {
    const columns = await columnsOf(owner, table)
    const values = columns.map(({ name, type }) =>
      // Few runners serve all tenants.
      name === 'all_tenants'
        ? 'n < 10'
        : name === 'tenant_id'
          ? `($1::uuid[])[1 + n % ${tenantIds.length}]`
          : sampleFor(MANY, table, name, type),
    )
    await owner.query(
      `insert into ${escapeIdentifier(table.name)} (${columns.map(({ name }) => escapeIdentifier(name)).join(', ')})
       select ${values.join(', ')} from generate_series(1, $2::int) n on conflict do nothing`,
      [tenantIds, count],
    )
  }
}

/** A value for any column of these types; a new type has to be added here. */
const SAMPLES: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: 'md5(random()::text)',
  bytea: 'sha256(random()::text::bytea)',
  bool: 'false',
  int2: '1',
  int4: '1',
  int8: '1',
  json: `'{}'`,
  jsonb: `'{}'`,
  timestamptz: 'now()',
  _text: `'{}'`,
  _timestamptz: `'{}'`,
  xid8: `'0'`,
}

/** An insert of a made-up row for a tenant, whatever columns the table has. */
export async function insertOf(owner: Client, table: FoundTable, tenantId: string): Promise<string> {
  const found = await columnsOf(owner, table)
  const values = found.map(({ name, type }) =>
    name === table.tenantColumn ? `'${tenantId}'` : sampleFor(SAMPLES, table, name, type),
  )
  const columns = found.map(({ name }) => escapeIdentifier(name))
  return `insert into ${escapeIdentifier(table.name)} (${columns.join(', ')}) values (${values.join(', ')})`
}

async function columnsOf(owner: Client, table: FoundTable): Promise<{ name: string; type: string }[]> {
  const { rows } = await owner.query<{ name: string; type: string }>(
    `select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attidentity = ''
       and a.attgenerated = ''
     order by a.attnum`,
    [escapeIdentifier(table.name)],
  )
  return rows
}

function sampleFor(
  samples: Readonly<Record<string, string>>,
  table: FoundTable,
  column: string,
  type: string,
): string {
  const sample = samples[type]
  if (sample === undefined) throw new Error(`No sample for ${table.name}.${column} of the type ${type}`)
  return sample
}
