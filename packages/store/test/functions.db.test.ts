import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmptyDatabase, createTestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { migrate, MigrationError, readAppliedSets, readFunctionSet } from '../src/index.ts'

const FUNCTIONS = fileURLToPath(new URL('../functions', import.meta.url))

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** The policies need it, so it comes with them. */
const OF_THE_SCHEMA = 'skein_current_tenant'

test('every function of the database has its source in the folder, and only once', async () => {
  const client = await connect((await createTestDatabase()).ownerUrl)
  const { rows } = await client.query<{ name: string }>(
    `select proname as name from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  )
  const texts = await Promise.all(
    (await readdir(FUNCTIONS)).map((name) => readFile(join(FUNCTIONS, name), 'utf8')),
  )
  const defined = texts.flatMap((text) =>
    [...text.matchAll(/^create or replace function (\w+)/gm)].map(([, name = '']) => name),
  )
  expect([...defined, OF_THE_SCHEMA].toSorted()).toEqual(rows.map(({ name }) => name))
})

const answering = (number: number) =>
  `create or replace function answer() returns int language sql return ${number};`

describe('the functions of a build', () => {
  let directory: string
  let ownerUrl: string
  let client: Client

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'skein-functions-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    ownerUrl = (await createEmptyDatabase()).ownerUrl
    client = await connect(ownerUrl)
  })

  const run = () => migrate({ connectionString: ownerUrl, functionsDirectory: directory })
  const write = (name: string, sql: string) => writeFile(join(directory, name), sql)
  const answer = async () => (await client.query<{ answer: number }>('select answer()')).rows[0]?.answer

  test('are put in place after the migrations, once, and again when one changes', async () => {
    await write('answer.sql', answering(1))
    expect(await run()).toMatchObject({ functionsApplied: true })
    expect(await run()).toMatchObject({ functionsApplied: false, applied: [] })
    await write('answer.sql', answering(2))
    expect(await run()).toMatchObject({ functionsApplied: true, applied: [] })
    expect(await answer()).toBe(2)
    expect(await readAppliedSets(client)).toHaveLength(2)
    expect((await readAppliedSets(client)).at(-1)).toBe((await readFunctionSet(directory)).checksum)
  })

  test('of an older build do not replace those of a newer one', async () => {
    await write('answer.sql', answering(1))
    await run()
    await write('answer.sql', answering(2))
    await run()
    await write('answer.sql', answering(1))
    expect(await run()).toMatchObject({ functionsApplied: false })
    expect(await answer()).toBe(2)
  })

  test('of a build that knows fewer migrations are left out', async () => {
    await write('answer.sql', answering(1))
    await run()
    await client.query(`insert into skein_migration select max(number) + 1, 'later', '' from skein_migration`)
    await write('answer.sql', answering(2))
    expect(await run()).toMatchObject({ functionsApplied: false, newer: [expect.stringContaining('later')] })
    expect(await answer()).toBe(1)
  })

  test('are applied whole or not at all, and the file and line that fail are named', async () => {
    await write('answer.sql', answering(1))
    await write('broken.sql', '\nselect nonsense;')
    await expect(run()).rejects.toThrow(/broken\.sql line 2 failed and changed nothing.*nonsense/)
    await expect(answer()).rejects.toThrow('answer')
    expect(await readAppliedSets(client)).toEqual([])
  })

  test('cannot end the transaction they are applied in', async () => {
    await write('answer.sql', `${answering(1)} commit;`)
    await expect(run()).rejects.toThrow(MigrationError)
  })

  test('are applied once when 8 servers are installed together', async () => {
    await write('answer.sql', answering(1))
    const reports = await Promise.all(Array.from({ length: 8 }, run))
    expect(reports.filter(({ functionsApplied }) => functionsApplied)).toHaveLength(1)
  })
})
