import { createTestDatabase } from '@skein/testkit'
import { Client, DatabaseError, escapeIdentifier } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Database } from '../src/index.ts'
import { findTables, insertOf, type FoundTable } from './tenant-tables.ts'

const A = '0199d2f4-0000-7000-8000-00000000000a'
const B = '0199d2f4-0000-7000-8000-00000000000b'
/** PostgreSQL's code for both: no grant at all, and a row that a policy forbids. */
const INSUFFICIENT_PRIVILEGE = '42501'

let owner: Client
let server: Client
let ownerUrl: string
let serverUrl: string
let tables: FoundTable[]
let tenantTables: FoundTable[]
let parents: FoundTable[]
let partitions: FoundTable[]
/** Those that the server may read at all. */
let granted: FoundTable[]

beforeAll(async () => {
  ;({ ownerUrl, serverUrl } = await createTestDatabase())
  owner = new Client({ connectionString: ownerUrl })
  server = new Client({ connectionString: serverUrl })
  await Promise.all([owner.connect(), server.connect()])
  tables = await findTables(owner)
  tenantTables = tables.filter(({ tenantColumn }) => tenantColumn !== undefined)
  parents = tenantTables.filter(({ isPartition }) => !isPartition)
  partitions = tenantTables.filter(({ isPartition }) => isPartition)
  // Tenants first: the other tables refer to them.
  for (const table of parents.toSorted((one) => (one.name === 'tenant' ? -1 : 0))) {
    for (const tenant of [A, B]) await owner.query(await insertOf(owner, table, tenant))
  }
  const { rows } = await server.query<{ name: string }>(
    `select relname as name from pg_class where has_table_privilege(oid, 'select')`,
  )
  granted = parents.filter((table) => rows.some(({ name }) => name === table.name))
})

afterAll(() => Promise.all([owner.end(), server.end()]))

const tableName = ({ name }: FoundTable) => escapeIdentifier(name)
const tenantColumn = ({ tenantColumn: column }: FoundTable) => escapeIdentifier(column ?? '')

async function tenantsIn(client: Client, table: FoundTable): Promise<string[]> {
  const { rows } = await client.query<{ tenant: string }>(
    `select distinct ${tenantColumn(table)} as tenant from ${tableName(table)} order by 1`,
  )
  return rows.map(({ tenant }) => tenant)
}

/** Runs it in a transaction that is bound to a tenant, and undoes it. Answers 'denied' where it is refused. */
async function asServer<Result>(
  tenant: string | undefined,
  work: () => Promise<Result>,
): Promise<Result | 'denied'> {
  await server.query('begin')
  try {
    if (tenant !== undefined) await server.query(`select set_config('skein.tenant', '${tenant}', true)`)
    return await work()
  } catch (error) {
    if (error instanceof DatabaseError && error.code === INSUFFICIENT_PRIVILEGE) return 'denied'
    throw error
  } finally {
    await server.query('rollback')
  }
}

/** What comes of it at each table, by the table's name. */
async function atEach<Result>(
  list: readonly FoundTable[],
  ask: (table: FoundTable) => Promise<Result>,
): Promise<Record<string, Result>> {
  const results: Record<string, Result> = {}
  for (const table of list) results[table.name] = await ask(table)
  return results
}

const withoutDenied = (results: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(results).filter(([, result]) => result !== 'denied'))

const always = <Value>(list: readonly FoundTable[], value: Value): Record<string, Value> =>
  Object.fromEntries(list.map(({ name }) => [name, value]))

describe('the tables', () => {
  test('that belong to tenants are found, partitions too', () => {
    expect(parents.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'tenant',
        'api_key',
        'resource',
        'resource_reference',
        'resource_version',
        'sealed_value',
        'command',
        'audit',
      ]),
    )
    expect(partitions.length).toBeGreaterThan(20)
    expect(granted.length).toBeGreaterThanOrEqual(8)
  })

  test('that belong to tenants hold rows of both, or this file would prove nothing', async () => {
    expect(await atEach(parents, (table) => tenantsIn(owner, table))).toEqual(always(parents, [A, B]))
  })

  test('that belong to tenants have row-level security, every partition included', () => {
    expect(tenantTables.filter(({ isSecured }) => !isSecured)).toEqual([])
  })

  test('that belong to nobody cannot be written by the server', async () => {
    const shared = tables.filter(({ tenantColumn: column }) => column === undefined)
    const writable = await atEach(shared, async ({ name }) => {
      const { rows } = await server.query<{ may: boolean }>(
        `select has_table_privilege($1::regclass, 'insert, update, delete, truncate') as may`,
        [escapeIdentifier(name)],
      )
      return rows[0]?.may
    })
    expect(writable).toEqual(always(shared, false))
  })
})

describe('the server’s role', () => {
  test('sees no row of any tenant while it is bound to none', async () => {
    const seen = await atEach(parents, (table) => asServer(undefined, () => tenantsIn(server, table)))
    expect(withoutDenied(seen)).toEqual(always(granted, []))
  })

  test('sees its own tenant’s rows and none of another’s', async () => {
    const seen = await atEach(parents, (table) => asServer(A, () => tenantsIn(server, table)))
    expect(withoutDenied(seen)).toEqual(always(granted, [A]))
  })

  test('cannot reach a partition past its parent', async () => {
    for (const tenant of [undefined, A]) {
      const seen = await atEach(partitions, (table) => asServer(tenant, () => tenantsIn(server, table)))
      expect(seen).toEqual(always(partitions, 'denied'))
    }
  })

  test('cannot add a row for another tenant', async () => {
    for (const tenant of [undefined, A]) {
      const added = await atEach(tenantTables, async (table) => {
        const insert = await insertOf(owner, table, B)
        return asServer(tenant, () => server.query(insert))
      })
      expect(added).toEqual(always(tenantTables, 'denied'))
    }
  })

  test('cannot move its own row to another tenant', async () => {
    const given = await atEach(tenantTables, (table) => {
      const update = `update ${tableName(table)} set ${tenantColumn(table)} = '${B}'`
      return asServer(A, () => server.query(update))
    })
    expect(given).toEqual(always(tenantTables, 'denied'))
  })

  test('cannot change or delete a row of another tenant', async () => {
    const affected = await atEach(tenantTables, async (table) => {
      const [name, column] = [tableName(table), tenantColumn(table)]
      const update = `update ${name} set ${column} = ${column} where ${column} = '${B}'`
      const remove = `delete from ${name} where ${column} = '${B}'`
      const counts = [
        await asServer(A, async () => (await server.query(update)).rowCount),
        await asServer(A, async () => (await server.query(remove)).rowCount),
      ]
      return counts.filter((count) => count !== 'denied' && count !== 0)
    })
    expect(affected).toEqual(always(tenantTables, []))
  })

  test.each([
    ['make a table', 'create table loot (id int)'],
    ['turn the security of a table off', 'alter table resource disable row level security'],
    ['loosen a policy', 'create policy everyone on resource using (true)'],
    ['empty a table', 'truncate resource'],
    ['add a tenant', `insert into tenant (id, provider, org) values (gen_random_uuid(), 'p', 'o')`],
    ['rewrite the audit log', `update audit set account = 'nobody'`],
    ['rewrite history', 'delete from resource_version'],
    ['read without the policies', 'set local row_security = off; select from resource'],
  ])('cannot %s', async (_act, sql) => {
    expect(await asServer(A, () => server.query(sql))).toBe('denied')
  })
})

test('the server’s role cannot become the owner', async () => {
  const { username } = new URL(ownerUrl)
  expect(await asServer(A, () => server.query(`set role ${escapeIdentifier(username)}`))).toBe('denied')
})

describe('a connection of the pool', () => {
  let database: Database

  beforeEach(() => {
    database = new Database({ connectionString: serverUrl, maxConnections: 1, applicationName: 'test' })
  })

  afterEach(() => database.close())

  const count = 'select count(*)::int as rows, pg_backend_pid() as pid from resource'
  type Counted = { rows: number; pid: number }

  test('forgets its tenant with the transaction, even with one that fails', async () => {
    const asA = await database.forTenant(A, (transaction) => transaction.query(count))
    const asNobody = await database.withoutTenant((transaction) => transaction.query(count))
    await expect(database.forTenant(A, (transaction) => transaction.query('select 1 / 0'))).rejects.toThrow(
      'zero',
    )
    const afterFailure = await database.withoutTenant((transaction) => transaction.query(count))
    const [first, second, third] = [asA, asNobody, afterFailure].map(({ rows }) => rows[0] as Counted)
    expect([first?.rows, second?.rows, third?.rows]).toEqual([1, 0, 0])
    expect(new Set([first?.pid, second?.pid, third?.pid]).size).toBe(1)
  })

  test('is bound to the next tenant and sees nothing of the one before', async () => {
    const tenants = 'select distinct tenant_id as tenant from resource'
    for (const tenant of [A, B, A]) {
      const { rows } = await database.forTenant(tenant, (transaction) => transaction.query(tenants))
      expect(rows).toEqual([{ tenant }])
    }
  })

  test('is never bound to an invalid tenant id', async () => {
    const injected = `${A}', true); select set_config('skein.tenant', '${B}`
    await expect(database.forTenant(injected, async () => 'in')).rejects.toThrow(TypeError)
  })
})
