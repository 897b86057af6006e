import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bareEnvironment } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

const run = promisify(execFile)
const SERVER = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('process')
})

afterAll(() => world.close())

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** Every row of every table, as a dump has it. */
async function dump(): Promise<string> {
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    const texts = []
    for (const { name } of rows) {
      const found = await client.query<{ text: string }>(`select t::text as text from "${name}" t`)
      texts.push(...found.rows.map(({ text }) => text))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

/** Takes minutes: the command waits until every server has forgotten the keys, and for runners. */
test('after delete-tenant, neither the database nor the stores of runners nor the repository have anything of the tenant', async () => {
  const [{ model }] = BACKENDS
  const mark = 'zebra-crossing'
  const runner = await world.startRunner({ SKEIN_RUNNER_REMOVE_MS: '500' })
  const ended = await world.spawn(
    'ended',
    [{ shell: `echo ${mark} > notes.txt` }, { tool: 'finish', input: { result: mark } }, { say: 'Bye.' }],
    { model },
  )
  await world.waitUntil(
    'the end',
    async () => (await world.status(ended)).phase === 'PHASE_COMPLETED',
    120_000,
  )
  const live = await world.spawn('live', [{ shell: `echo ${mark} > more.txt; sleep 600` }], { model })
  await world.waitUntil(
    'the second agent to work',
    async () => (await world.status(live)).phase === 'PHASE_RUNNING',
    120_000,
  )
  expect(await world.git('for-each-ref', 'refs/skein')).not.toBe('')
  expect(await filesBelow(join(world.folder, 'blobs'))).not.toEqual([])
  expect(await dump()).toContain(mark)

  const { org } = world.tenant.tenant
  const { stdout } = await run(
    process.execPath,
    [SERVER, 'delete-tenant', '--org', org, '--confirm', org, '--wait-minutes', '3', '--json'],
    {
      env: {
        ...bareEnvironment(),
        SKEIN_OWNER_DATABASE_URL: world.server.database.ownerUrl,
        SKEIN_MASTER_KEY: Buffer.alloc(32).toString('base64'),
      },
    },
  )
  expect(JSON.parse(stdout)).toMatchObject({ state: 'deleted', tenantId: world.tenant.id })
  const left = await dump()
  for (const gone of [mark, org, world.tenant.id]) expect(left).not.toContain(gone)
  expect(await filesBelow(join(world.folder, 'blobs'))).toEqual([])
  expect(await world.git('for-each-ref', 'refs/skein')).toBe('')
  const folders = await readdir(join(runner.dataDir, 'agents'))
  expect(folders.filter((name) => !name.startsWith('.'))).toEqual([])
  await runner.stop()
})
