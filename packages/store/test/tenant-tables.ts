import { escapeIdentifier, type Client } from 'pg'

/** A table of the public schema, as the system catalogs describe it. */
export interface FoundTable {
  readonly name: string
  /** The column that says whose a row is; undefined for a table that is not any tenant's. */
  readonly tenantColumn: string | undefined
  readonly isPartition: boolean
  readonly isSecured: boolean
}

/** Every table there is, partitions included: a table that nobody thought of is found as well. */
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
  xid8: `'0'`,
}

/** An insert of a made-up row for a tenant, whatever columns the table has. */
export async function insertOf(owner: Client, table: FoundTable, tenantId: string): Promise<string> {
  const { rows } = await owner.query<{ name: string; type: string }>(
    `select a.attname as name, t.typname as type from pg_attribute a join pg_type t on t.oid = a.atttypid
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attidentity = ''
       and a.attgenerated = ''
     order by a.attnum`,
    [escapeIdentifier(table.name)],
  )
  const values = rows.map(({ name, type }) => {
    if (name === table.tenantColumn) return `'${tenantId}'`
    const sample = SAMPLES[type]
    if (sample === undefined) throw new Error(`No sample for ${table.name}.${name} of the type ${type}`)
    return sample
  })
  const columns = rows.map(({ name }) => escapeIdentifier(name))
  return `insert into ${escapeIdentifier(table.name)} (${columns.join(', ')}) values (${values.join(', ')})`
}
