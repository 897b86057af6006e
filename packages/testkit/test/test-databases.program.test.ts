import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createEmptyDatabase,
  createTestDatabase,
  openTestDatabases,
  theTestRun,
} from '../src/test-databases.ts'
import { prepareTestRun, removeTestRun, type TestRunFacts } from '../src/test-run.ts'

const { adminUrl } = theTestRun()
const migration = `
  do $$ begin create role skein_server nologin; exception when duplicate_object then null; end $$;
  create table note (tenant text, body text);
  insert into note values ('acme', 'from the template'), ('other', 'not for acme');
  alter table note enable row level security;
  create policy tenant_only on note using (tenant = current_setting('skein.tenant', true));
  grant select, insert on note to skein_server;
`

let directory: string
let run: TestRunFacts

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skein-migrations-'))
  await writeFile(join(directory, '0001_notes.sql'), migration)
  run = await prepareTestRun({ adminUrl, migrations: directory })
})

afterAll(async () => {
  await removeTestRun(adminUrl, run.prefix)
  await rm(directory, { recursive: true })
})

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

describe('a test database', () => {
  test('is migrated, and nobody else sees what is written to it', async () => {
    const [mine, theirs] = await Promise.all([createTestDatabase(run), createTestDatabase(run)])
    await query(mine.ownerUrl, 'delete from note')
    expect(await query(mine.ownerUrl, 'select count(*)::int from note')).toEqual([{ count: 0 }])
    expect(await query(theirs.ownerUrl, 'select count(*)::int from note')).toEqual([{ count: 2 }])
  })

  test('can be created many times concurrently', async () => {
    const databases = await Promise.all(Array.from({ length: 12 }, () => createTestDatabase(run)))
    expect(new Set(databases.map(({ name }) => name)).size).toBe(12)
    await Promise.all(databases.map((database) => database.drop()))
  })

  test('gives the server a login that row-level security binds', async () => {
    const { serverUrl } = await createTestDatabase(run)
    const facts = await query(
      serverUrl,
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
              pg_has_role('skein_server', 'usage') as member,
              exists (select from pg_database where datname = current_database() and datdba = r.oid) as owner
         from pg_roles r where rolname = current_user`,
    )
    expect(facts).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        member: true,
        owner: false,
      },
    ])
    const client = await connect(serverUrl)
    await client.query(`select set_config('skein.tenant', 'acme', false)`)
    expect((await client.query('select body from note')).rows).toEqual([{ body: 'from the template' }])
    await expect(client.query('drop table note')).rejects.toThrow(/must be owner/)
    await expect(client.query('delete from note')).rejects.toThrow(/permission denied/)
  })

  test('gives the owner a login that is not a superuser', async () => {
    const { ownerUrl } = await createTestDatabase(run)
    expect(
      await query(ownerUrl, 'select rolsuper, rolbypassrls from pg_roles where rolname = current_user'),
    ).toEqual([{ rolsuper: false, rolbypassrls: false }])
  })

  test('is gone after drop', async () => {
    const database = await createTestDatabase(run)
    expect(openTestDatabases().map(({ name }) => name)).toContain(database.name)
    await database.drop()
    expect(openTestDatabases().map(({ name }) => name)).not.toContain(database.name)
    await expect(query(database.ownerUrl, 'select 1')).rejects.toThrow(/does not exist/)
  })

  test('dropped with a connection open, goes but names the connection', async () => {
    const database = await createEmptyDatabase(run)
    const client = await connect(database.ownerUrl)
    await client.query(`set application_name = 'forgetful'`)
    await expect(database.drop()).rejects.toThrow(/Still connected:[^]*application forgetful/)
    await expect(query(database.ownerUrl, 'select 1')).rejects.toThrow(/does not exist/)
  })

  test('is refused when the migrations do not create skein_server', async () => {
    await expect(createTestDatabase({ ...run, server: undefined })).rejects.toThrow(/role skein_server/)
  })
})

const traces = (prefix: string) =>
  query(
    adminUrl,
    `select datname from pg_database where starts_with(datname, '${prefix}')
      union all select rolname from pg_roles where starts_with(rolname, '${prefix}')`,
  )

test('a removed run leaves neither database nor role, even with a client connected', async () => {
  const short = await prepareTestRun({ adminUrl, migrations: directory })
  const { ownerUrl } = await createEmptyDatabase(short)
  await connect(ownerUrl)
  expect(await traces(short.prefix)).toHaveLength(4)
  await removeTestRun(adminUrl, short.prefix)
  expect(await traces(short.prefix)).toEqual([])
})

test('a run whose migrations fail leaves nothing', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'skein-migrations-'))
  onTestFinished(() => rm(broken, { recursive: true }))
  const sql = `do $$ begin raise exception 'broken for %', current_user; end $$`
  await writeFile(join(broken, '0001_broken.sql'), sql)
  const message = await prepareTestRun({ adminUrl, migrations: broken }).then(
    () => '',
    (error: Error) => error.message,
  )
  const [, prefix = 'none'] = /broken for (skein_test_\w+_)owner/.exec(message) ?? []
  expect(prefix).toMatch(/^skein_test_/)
  expect(await traces(prefix)).toEqual([])
})

test('a login that is not a superuser is rejected with the reason', async () => {
  const { ownerUrl } = await createEmptyDatabase(run)
  await expect(prepareTestRun({ adminUrl: ownerUrl })).rejects.toThrow(/must connect as a superuser/)
})
