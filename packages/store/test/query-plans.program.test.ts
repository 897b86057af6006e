import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createTestDatabase,
  explainedBy,
  explainStatements,
  insertUnchecked,
  scansIn,
  startTestServer,
  type ExplainedStatement,
  type PlanScan,
  type TestServer,
} from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allStatements, type Statement } from '../src/database/statement.ts'
import { readAutomationTotals, readPoolTotals } from '../src/index.ts'
import { FunctionTour } from './every-function.ts'
import { findTables, insertMany } from './tenant-tables.ts'

/** So many rows of other tenants are in each table (100,000 at night), and so few may a statement look at. */
const OTHERS = Number(process.env['SKEIN_PLAN_ROWS'] ?? 20_000)
const MAX_ROWS = 200

const FUNCTIONS = fileURLToPath(new URL('../functions', import.meta.url))

/** As the owner, over the values of all tenants. */
const OF_THE_OWNER = new Set([
  'audit_count_sealed',
  'audit_seal_check',
  'audited_tenants',
  'sealed_value_page',
  'sealed_value_update',
  'tenant_find',
  'tenant_readable_tables',
  'tenant_tables',
])

/** What may read a table from end to end: of leases there are as many as runs in progress, of runners as many as hosts. */
const MAY_READ_ALL = [
  /^update lease l set expires_at = now\(\) \+ interval '5 seconds', runner = ''/,
  /^update lease l set expires_at = clock_timestamp\(\) \+ whole/,
  /^delete from runner r where r\.seen_at < /,
  // Counts for all tenants, at most every ten seconds for all servers: its own test says how much it reads.
  /^with recursive queue as \(/,
  // Budgets in use, of all tenants: as many as servers then look at.
  /^with recursive held as \(/,
  // Every five minutes. The index finds blocks, not rows.
  /^with sums as materialized \(/,
  // Once an hour, in a tenant whose directory was deleted: with plans for few rows, all members in that tenant.
  /^delete from directory_member m where m\.ctid = any/,
  // Once an hour.
  /^with recursive waiting as \(/,
  /^with busy as materialized \(/,
  /^delete from public\.\w+_default where created_at < /,
]

let server: TestServer
let owner: Client
let tour: FunctionTour
let tenantId: string
let isTenantTable: (relation: string) => boolean
let explained: ExplainedStatement[] = []

beforeAll(async () => {
  const database = await createTestDatabase()
  owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query('analyze')
  await explainStatements(database)
  server = await startTestServer({
    database,
    onNotice: (message) => explained.push(...[explainedBy(message)].filter((found) => found !== undefined)),
  })
  const tenant = await server.createTenant()
  tenantId = tenant.id
  tour = new FunctionTour(server, tenant, owner)
  const tables = (await findTables(owner)).filter(({ tenantColumn }) => tenantColumn === 'tenant_id')
  const names = tables.map(({ name }) => name)
  isTenantTable = (relation) => names.some((name) => relation.startsWith(name))
})

afterAll(async () => {
  await server.close()
  await owner.end()
})

const isMisled = ({ node, relation, isByCondition }: PlanScan) =>
  isTenantTable(relation) && (node === 'Seq Scan' || !isByCondition)

/** Statements whose plan does not go by a key or an index, and how it goes. */
async function misledStatements(): Promise<Record<string, readonly PlanScan[]>> {
  const misled: Record<string, readonly PlanScan[]> = {}
  for (const statement of allStatements().filter(({ name }) => !OF_THE_OWNER.has(name))) {
    const scans = (await planOf(statement)).filter(isMisled)
    if (scans.length > 0) misled[statement.name] = scans
  }
  return misled
}

function planOf({ name, text }: Statement): Promise<PlanScan[]> {
  return server.engine.database.forTenant(tenantId, async (transaction) => {
    await transaction.query(`prepare plan_of as ${text}`)
    const types = await transaction.query(
      `select cardinality(parameter_types) as amount from pg_prepared_statements where name = 'plan_of'`,
    )
    const [{ amount }] = types.rows as [{ amount: number }]
    const values = Array.from({ length: amount }, () => 'null').join(', ')
    const { rows } = await transaction.query(
      `explain (format json) execute plan_of${amount === 0 ? '' : `(${values})`}`,
    )
    await transaction.query('deallocate plan_of')
    const [row] = rows as [{ 'QUERY PLAN': [{ Plan: unknown }] }]
    if (!row) throw new Error(`No plan of ${name}`)
    return scansIn(row['QUERY PLAN'][0].Plan)
  })
}

/** Statements that looked at too many rows, with how they did. */
function greedyStatements(): ExplainedStatement[] {
  return explained
    .filter(({ text }) => !MAY_READ_ALL.some((exception) => exception.test(text.trim())))
    .map(({ text, scans }) => ({
      text,
      scans: scans.filter(({ relation, rows }) => isTenantTable(relation) && rows > MAX_ROWS),
    }))
    .filter(({ scans }) => scans.length > 0)
}

const squeezed = (text: string) => text.replaceAll(/\s+/g, ' ')

test('while all tables are empty, no named statement reads one from end to end', async () => {
  expect(allStatements().length).toBeGreaterThan(70)
  expect(await misledStatements()).toEqual({})
})

test('each function runs, with each statement in it that writes', async () => {
  await tour.run()
  const seen = explained.map(({ text }) => squeezed(text))
  const missing: string[] = []
  for (const fileName of await readdir(FUNCTIONS)) {
    const text = await readFile(join(FUNCTIONS, fileName), 'utf8')
    for (const body of text.split(/^(?=create or replace function)/m)) {
      const name = /^create or replace function (\w+)/.exec(body)?.[1]
      if (name === undefined) continue
      // Functions in the body of a statement are taken into it, and have no plan of their own.
      if (!/\blanguage plpgsql\b/.test(body)) continue
      const writes = body.matchAll(
        /\b(?:insert into|(?<!for )update|delete from) (?!set\b|public\.)\w[^;]{0,60}/g,
      )
      for (const [write] of writes) {
        if (!seen.some((executed) => executed.includes(squeezed(write)))) missing.push(`${name}: ${write}`)
      }
    }
  }
  expect(missing).toEqual([])
})

test('a count of the queues looks at no more runs of a pool than it counts', async () => {
  await owner.query(
    `insert into run (agent_id, tenant_id, agent_key, root_key, pool, run_id, attempt, is_leased, available_at)
     select gen_random_uuid(), $1, 'deep-' || n, 'deep-' || n, 'deep', 1, 1, false, now() from generate_series(1, 5000) n`,
    [tenantId],
  )
  explained = []
  const totals = await server.engine.database.statement((transaction) =>
    readPoolTotals(transaction, { named: ['deep'], freshMs: 0, onlineMs: 1000, most: 100 }),
  )
  expect(totals.find(({ pool }) => pool === 'deep')?.queued).toBe(100)
  const scans = explained.flatMap((each) => each.scans).filter(({ relation }) => relation.startsWith('run'))
  expect(scans.length).toBeGreaterThan(0)
  expect(scans.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(MAX_ROWS)
  await owner.query(`delete from run where pool = 'deep'`)
})

test('a count of what waits for receivers looks at no more lanes of one than it counts', async () => {
  await owner.query(
    `insert into endpoint (tenant_id, integration, due_at) values ($1, 'dead', now() + interval '1 hour')`,
    [tenantId],
  )
  await owner.query(
    `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
     select $1, 'dead', gen_random_uuid(), gen_random_uuid(), 1, 1, now() - n * interval '1 second', now()
     from generate_series(1, 5000) n`,
    [tenantId],
  )
  explained = []
  const totals = await server.engine.database.statement((transaction) =>
    readAutomationTotals(transaction, { freshMs: 0, most: 100 }),
  )
  expect(totals.answering.lanes).toBe(100)
  expect(totals.answering.oldestSeconds).toBeGreaterThanOrEqual(5000)
  const scans = explained.flatMap((each) => each.scans).filter(({ relation }) => relation.startsWith('lane'))
  expect(scans.length).toBeGreaterThan(0)
  expect(scans.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(MAX_ROWS)
  await owner.query(`delete from lane where integration = 'dead'`)
  await owner.query(`delete from endpoint where integration = 'dead'`)
})

test('with plans from when tables held a few rows, no statement looks at other tenants’ rows', async () => {
  // What autovacuum does at an arbitrary time. Merging a table of four rows looks cheap.
  await owner.query('analyze')
  await tour.run()
  const { rows } = await owner.query<{ id: string }>(
    `insert into tenant (id, provider, org)
     select gen_random_uuid(), 'PROVIDER_CODEHOST_APP', 'other-' || n from generate_series(1, 10) n returning id`,
  )
  const tenantIds = rows.map(({ id }) => id)
  await insertUnchecked(server.database, (superuser) => insertMany(superuser, tenantIds, OTHERS))
  explained = []
  await tour.run()
  expect(explained.length).toBeGreaterThan(100)
  expect(greedyStatements()).toEqual([])
}, 600_000)

test('nor with plans that know how many rows there are', async () => {
  await owner.query('analyze')
  explained = []
  await tour.run()
  expect(explained.length).toBeGreaterThan(100)
  expect(greedyStatements()).toEqual([])
  expect(await misledStatements()).toEqual({})
})

/** What `write_changes` once did: a cast is not leakproof, so no index can be used before the tenant's own rows. */
const PLANTED = `delete from run r using json_array_elements_text('["${randomUUID()}"]') as e(id) where r.agent_id = e.id::uuid`

test('a join with a cast, which reads the runs of all tenants, would be noticed', async () => {
  explained = []
  await server.engine.database.forTenant(tenantId, (transaction) => transaction.query(PLANTED))
  expect(greedyStatements().map(({ text }) => text)).toEqual([PLANTED])
})
