import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmptyDatabase, waitFor } from '@skein/testkit'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { migrate, MigrationError, requiredSchemaVersion, schemaVersion } from '../src/index.ts'

let directory: string
let ownerUrl: string
let client: Client

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skein-migrations-'))
  ownerUrl = (await createEmptyDatabase()).ownerUrl
  client = await connect()
})

afterEach(async () => {
  await client.end()
  await rm(directory, { recursive: true })
})

async function connect(): Promise<Client> {
  const connected = new Client({ connectionString: ownerUrl })
  await connected.connect()
  return connected
}

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, sql] of Object.entries(files)) await writeFile(join(directory, name), sql)
}

const run = (options: Partial<Parameters<typeof migrate>[0]> = {}) =>
  migrate({ connectionString: ownerUrl, directory, ...options })

async function tables(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  return rows.map(({ name }) => name)
}

describe('migrate', () => {
  test('has nothing to do without files', async () => {
    expect(await run()).toEqual({ version: 0, applied: [], newer: [], functionsApplied: false })
    expect(await tables()).toEqual([])
    expect(await schemaVersion(client)).toBe(0)
  })

  test('applies the files in order, once, and records each with its checksum', async () => {
    await write({
      '0001_a.sql': 'create table a (id int)',
      '0002_b.sql': 'create table b (id int); select 1;',
    })
    expect(await run()).toEqual({
      version: 2,
      applied: ['0001_a', '0002_b'],
      newer: [],
      functionsApplied: false,
    })
    expect(await run()).toEqual({ version: 2, applied: [], newer: [], functionsApplied: false })
    expect(await schemaVersion(client)).toBe(2)
    expect(await requiredSchemaVersion(directory)).toBe(2)
    const { rows } = await client.query(
      `select number, name, checksum ~ '^[0-9a-f]{64}$' as hashed from skein_migration order by 1`,
    )
    expect(rows).toEqual([
      { number: 1, name: 'a', hashed: true },
      { number: 2, name: 'b', hashed: true },
    ])
  })

  test('applies each file exactly once when 16 servers start together', async () => {
    await write({
      '0001_log.sql': 'create table log (entry text)',
      '0002_slow.sql': `select pg_sleep(0.2); insert into log values ('two')`,
      '0003_more.sql': `insert into log values ('three')`,
    })
    const reports = await Promise.all(Array.from({ length: 16 }, () => run()))
    expect(reports.flatMap(({ applied }) => applied)).toEqual(['0001_log', '0002_slow', '0003_more'])
    expect(reports.every(({ version }) => version === 3)).toBe(true)
    expect((await client.query('select entry from log')).rows).toEqual([{ entry: 'two' }, { entry: 'three' }])
  })

  test('leaves nothing of a migration that fails, keeps those before it, and names the line', async () => {
    await write({
      '0001_a.sql': 'create table a (id int)',
      '0002_b.sql': 'create table b (id int);\n\nselect nonsense;',
    })
    await expect(run()).rejects.toThrow(/0002_b\.sql line 3 failed and changed nothing.*nonsense/)
    expect(await tables()).toEqual(['a', 'skein_migration'])
    await write({ '0002_b.sql': 'create table b (id int)' })
    expect(await run()).toMatchObject({ version: 2, applied: ['0002_b'] })
  })

  test('refuses a file that was edited after it was applied, and applies nothing', async () => {
    await write({ '0001_a.sql': 'create table a (id int)' })
    await run()
    await write({ '0001_a.sql': 'create table a (id bigint)', '0002_b.sql': 'create table b (id int)' })
    await expect(run()).rejects.toThrow(MigrationError)
    await expect(run()).rejects.toThrow(/0001_a\.sql differs/)
    expect(await schemaVersion(client)).toBe(1)
  })

  test('refuses a gap before it touches the database', async () => {
    await write({ '0001_a.sql': 'create table a (id int)', '0003_c.sql': 'create table c (id int)' })
    await expect(run()).rejects.toThrow(/0002 is missing/)
    expect(await tables()).toEqual([])
  })

  test('an old server starts alongside a newer one, and says so', async () => {
    await write({ '0001_a.sql': 'create table a (id int)', '0002_b.sql': 'create table b (id int)' })
    await run()
    await rm(join(directory, '0002_b.sql'))
    const lines: string[] = []
    const report = await run({ log: (line) => lines.push(line) })
    expect(report).toEqual({ version: 2, applied: [], newer: ['0002_b'], functionsApplied: false })
    expect(lines).toEqual([expect.stringContaining('ahead of this build: 0002_b')])
  })

  test('does not mistake the settings of one file for those of the next', async () => {
    await write({ '0001_a.sql': `set local search_path = ''`, '0002_b.sql': 'create table b (id int)' })
    await run()
    expect(await tables()).toEqual(['b', 'skein_migration'])
  })
})

describe('a long transaction in the way', () => {
  let blocker: Client

  beforeEach(async () => {
    await client.query('create table busy (id int)')
    await write({ '0001_a.sql': 'alter table busy add column name text' })
    blocker = await connect()
    onTestFinished(() => blocker.end())
    await blocker.query('begin; select from busy')
  })

  test('delays a migration without making readers queue behind it', async () => {
    const lines: string[] = []
    const running = run({ lockTimeoutMs: 100, lockAttempts: 1_000, log: (line) => lines.push(line) })
    await waitFor(() => lines.length >= 2, { what: 'two attempts' })
    await client.query(`set statement_timeout = '2s'; select from busy`)
    await blocker.query('commit')
    expect(await running).toMatchObject({ applied: ['0001_a'] })
    expect(lines[0]).toContain('was blocked by a long transaction (attempt 1)')
  })

  test('stops a migration after a bounded number of attempts, with nothing changed', async () => {
    await expect(run({ lockTimeoutMs: 50, lockAttempts: 3 })).rejects.toThrow(
      /in 3 attempts.*pg_stat_activity/,
    )
    expect(await schemaVersion(client)).toBe(0)
  })
})

test('a migrator that never gets its turn gives up and says where to look', async () => {
  await write({ '0001_a.sql': 'create table a (id int)' })
  await client.query('select pg_advisory_lock($1)', [0x73_6b_65_69_6e])
  await expect(run({ turnTimeoutMs: 200 })).rejects.toThrow(/migrating this database.*pg_stat_activity/)
})
