/**
 * `npm run bench:partitions`: what hash partitions by tenant would change for the table of agents. The same rows are in a
 * table as it is and in one with partitions, and the same statements run on both in turns, then a vacuum of what they left
 * behind. Ratios are of the table with partitions to the one without. The last line is JSON.
 * Options: --agents 300000 --tenants 1000 --partitions 16 --rounds 5 --seconds 3 --clients 8
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startPostgresServer } from '@skein/testkit'
import { Client, type QueryResult } from 'pg'
import { median, round } from './automations/statistics.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '300000' },
    tenants: { type: 'string', default: '1000' },
    partitions: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
  },
})
const agents = Number(values.agents)
const tenants = Number(values.tenants)
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

const TABLES = ['plain', 'hashed'] as const
type Table = (typeof TABLES)[number]

/** As in migration 0001. A primary key of partitions has to contain what divides them. */
const COLUMNS = `tenant_id uuid not null, id uuid not null, key text collate "C" not null,
  parent_key text collate "C" not null, owner_provider text not null, account text not null, phase text not null,
  is_terminal boolean not null, state json not null, created_at timestamptz not null, updated_at timestamptz not null`
const INDEXES = [
  'unique index on %s (tenant_id, key)',
  'index on %s (tenant_id, parent_key, owner_provider, account, created_at desc, id desc)',
  'index on %s (tenant_id, parent_key, created_at desc, id desc)',
  'index on %s (tenant_id, parent_key, created_at desc, id desc) where not is_terminal',
  'index on %s (tenant_id, is_terminal, created_at desc, id desc)',
]

const tenantOf = (index: number): string => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`
const agentOf = (index: number): string => `00000000-0000-4000-9000-${index.toString(16).padStart(12, '0')}`
const STATE = JSON.stringify({ description: 'x'.repeat(1_200), runCount: 1 })

interface Statement {
  readonly text: (table: Table) => string
  readonly values: (index: number) => unknown[]
  readonly rows: number
}

const anyAgent = (index: number): [string, number] => [tenantOf(index % tenants), index]

/** What requests, commands and the sweeper do with an agent. */
const STATEMENTS: Readonly<Record<string, Statement>> = {
  read: {
    text: (table) => `select state from ${table} where tenant_id = $1 and key = $2`,
    values: (index) => [anyAgent(index)[0], `agent-${index}`],
    rows: 1,
  },
  update: {
    text: (table) =>
      `update ${table} set state = $3, updated_at = now() where tenant_id = $1 and id = $2 returning id`,
    values: (index) => [anyAgent(index)[0], agentOf(index), STATE],
    rows: 1,
  },
  list: {
    text: (table) => `select id from ${table} where tenant_id = $1 and parent_key = '' and not is_terminal
      order by created_at desc, id desc limit 50`,
    values: (index) => [anyAgent(index)[0]],
    rows: 50,
  },
  insert: {
    text: (table) => `insert into ${table} (tenant_id, id, key, parent_key, owner_provider, account, phase,
        is_terminal, state, created_at, updated_at)
      values ($1, $2, $3, '', 'p', 'ada', 'PHASE_RUNNING', false, $4, now(), now()) returning id`,
    values: (index) => [anyAgent(index)[0], randomUUID(), `new-${randomUUID()}`, STATE],
    rows: 1,
  },
  'by id alone': {
    text: (table) => `select state from ${table} where id = $1`,
    values: (index) => [agentOf(index)],
    rows: 1,
  },
}

const postgres = await startPostgresServer({
  durable: true,
  settings: ['shared_buffers=1GB', 'max_wal_size=8GB', 'autovacuum=off'],
})
const clients: Client[] = []
try {
  for (let count = 0; count < Number(values.clients); count++) clients.push(await connect())
  const [owner] = clients
  if (!owner) throw new Error('At least one client is needed')
  await createTables(owner)
  const bytes = { plain: await bytesPerAgent(owner, 'plain'), hashed: await bytesPerAgent(owner, 'hashed') }
  const ratios: Record<string, number> = {}
  for (const [name, statement] of Object.entries(STATEMENTS)) {
    const rates: Record<Table, number[]> = { plain: [], hashed: [] }
    for (let count = -1; count < rounds; count++) {
      for (const table of count % 2 === 0 ? TABLES : TABLES.toReversed()) {
        const rate = await load(name, statement, table)
        // The first is to warm up.
        if (count >= 0) rates[table].push(rate)
      }
    }
    const each = rates.hashed.map((rate, index) => rate / (rates.plain[index] ?? NaN))
    ratios[name] = round(median(each))
    console.log(
      `${name.padEnd(12)} ${median(rates.plain).toFixed(0)}/s, ${median(rates.hashed).toFixed(0)}/s with partitions: ${ratios[name]}`,
    )
  }
  const vacuumMs: Record<string, number> = {}
  for (const table of TABLES) {
    const startedAt = performance.now()
    await owner.query(`vacuum ${table}`)
    vacuumMs[table] = Math.round(performance.now() - startedAt)
  }
  console.log(`vacuum: ${vacuumMs['plain']} ms, ${vacuumMs['hashed']} ms with partitions`)
  console.log(
    JSON.stringify({ agents, tenants, partitions: Number(values.partitions), ratios, vacuumMs, bytes }),
  )
} finally {
  for (const client of clients) await client.end()
  await postgres.stop()
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: postgres.url('postgres') })
  await client.connect()
  return client
}

async function createTables(owner: Client): Promise<void> {
  await owner.query(`create table plain (${COLUMNS}, primary key (id)) with (fillfactor = 80)`)
  await owner.query(
    `create table hashed (${COLUMNS}, primary key (tenant_id, id)) partition by hash (tenant_id)`,
  )
  for (let index = 0; index < Number(values.partitions); index++) {
    await owner.query(`create table hashed_${index} partition of hashed
      for values with (modulus ${values.partitions}, remainder ${index}) with (fillfactor = 80)`)
  }
  await owner.query('create index on hashed (id)')
  for (const table of TABLES)
    for (const index of INDEXES) await owner.query(`create ${index.replace('%s', table)}`)
  for (const table of TABLES) {
    await owner.query(
      `insert into ${table} select
         ('00000000-0000-4000-8000-' || lpad(to_hex(n % $2), 12, '0'))::uuid,
         ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid,
         'agent-' || n, '', 'p', 'ada', 'PHASE_WAITING', false, $3::json,
         now() - n * interval '1 second', now()
       from generate_series(0, $1 - 1) n`,
      [agents, tenants, STATE],
    )
    await owner.query(`vacuum analyze ${table}`)
  }
}

/** Indexes included. */
async function bytesPerAgent(owner: Client, table: Table): Promise<number> {
  const { rows } = await owner.query<{ size: string }>(
    `select sum(pg_total_relation_size(oid)) as size from pg_class where relkind = 'r' and relname ~ '^${table}(_[0-9]+)?$'`,
  )
  return Math.round(Number(rows[0]?.size) / agents)
}

/** How many a second. An answer without the rows that it must have ends the measurement. */
async function load(
  name: string,
  { text, values: valuesOf, rows }: Statement,
  table: Table,
): Promise<number> {
  let done = 0
  const startedAt = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAt < seconds * 1000) {
        const index = Math.floor(Math.random() * agents)
        const found: QueryResult = await client.query({
          name: `${name} ${table}`,
          text: text(table),
          values: valuesOf(index),
        })
        if (found.rowCount !== rows) throw new Error(`${name} on ${table} found ${found.rowCount} rows`)
        done += 1
      }
    }),
  )
  return (done / (performance.now() - startedAt)) * 1000
}
