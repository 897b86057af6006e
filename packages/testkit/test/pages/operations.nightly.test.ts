/** Runs the commands of docs/operations.md one after the other, in a checkout and with an empty PostgreSQL. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '@skein/host'
import { startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { read, root } from '../tree.ts'
import { readBlocks } from './page-blocks.ts'

const PAGE = 'docs/operations.md'
const SERVE = 'npm run server -- serve'
/** It never ends by itself. */
const FOLLOW = 'skein audit --follow --json --since 1d'

/** What a reader does between the commands, before the first ones of a heading. */
const BEFORE: Readonly<Record<string, string>> = { 'API keys': 'skein token create ci' }
/** There is no runner, which `skein doctor` must say. */
const EXIT_CODES: Readonly<Record<string, number>> = { 'Something is wrong': 13 }

let postgres: PostgresServer
/** A checkout to which the page's commands can write files. */
let checkout: string
let server: ChildProcess | undefined
const env: Record<string, string> = {}

beforeAll(async () => {
  postgres = await startPostgresServer()
  checkout = await mkdtemp(join(tmpdir(), 'skein-operations-'))
  for (const name of await readdir(root))
    if (name !== '.git') await symlink(join(root, name), join(checkout, name))
  const port = String(await findFreePort())
  Object.assign(env, {
    PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: checkout,
    SKEIN_PORT: port,
    SKEIN_URL: `http://127.0.0.1:${port}`,
  })
})

afterAll(async () => {
  // npm does not pass signals on to what it has started.
  if (server?.pid !== undefined) process.kill(-server.pid)
  await postgres.stop()
  await rm(checkout, { recursive: true })
})

test('every command of the page works, from the logins to the deleted tenant', async () => {
  await createDatabase()
  const printed: Record<string, string> = {}
  let [last, followed] = ['', '']
  for (const { heading, commands } of readBlocks(await read(PAGE))) {
    if (commands === SERVE) {
      await serve()
      continue
    }
    if (commands === FOLLOW) {
      followed = await readFirstLine(commands)
      continue
    }
    if (heading !== last && BEFORE[heading] !== undefined) await execute(BEFORE[heading])
    last = heading
    const output = await execute(commands, EXIT_CODES[heading])
    printed[heading] = `${printed[heading] ?? ''}${output}`
    if (heading === 'Configure') env['SKEIN_MASTER_KEY'] = output.trim()
    const key = /^skn_\S+$/m.exec(output)?.[0]
    if (commands.includes('bootstrap') && key !== undefined) env['SKEIN_API_KEY'] = key
  }
  expect(printed['Install']).toContain('"status":"ok"')
  expect(printed['Install']).toContain('"account":"ada"')
  expect(printed['Something is wrong']).toContain('✔ key: you are ada (admin) of acme')
  expect(printed['API keys']).toContain('"generation":"2"')
  // It ends a minute ago, so it may well be empty.
  const entries = (await readFile(join(checkout, 'audit.jsonl'), 'utf8')).split('\n').filter(Boolean)
  expect(() => entries.map((line) => JSON.parse(line) as unknown)).not.toThrow()
  expect(JSON.parse(followed)).toHaveProperty('cursor')
  expect(printed['Check that the audit is complete']).toContain('Changed since they were sealed: 0.')
  const exported = await readFile(join(checkout, 'globex.jsonl'), 'utf8')
  expect(exported).toContain('"globex"')
  await waitFor(async () => !(await execute('skein tenants ls')).includes('globex'), {
    what: 'the tenant to be deleted',
    timeoutMs: 60_000,
    intervalMs: 1_000,
  })
})

/** By the page's statements, which have its passwords. */
async function createDatabase(): Promise<void> {
  const statements = /```sql\n(CREATE ROLE.*?)```/s.exec(await read(PAGE))?.[1] ?? ''
  const admin = new Client({ connectionString: postgres.url() })
  await admin.connect()
  // Together they would be one transaction, in which no database can be created.
  for (const statement of statements.trim().split('\n')) await admin.query(statement)
  await admin.end()
  const url = (user: string, password: string): string => {
    const { port } = new URL(postgres.url())
    return `postgres://${user}:${password}@127.0.0.1:${port}/skein`
  }
  env['SKEIN_OWNER_DATABASE_URL'] = url('skein_owner', 'change-me-1')
  env['SKEIN_DATABASE_URL'] = url('skein_app', 'change-me-2')
}

async function execute(commands: string, exitCode = 0): Promise<string> {
  const options = { cwd: checkout, env, maxBuffer: 64 * 1024 * 1024 }
  const { stdout, stderr, code } = await promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', commands],
    options,
  ).then(
    (printed) => ({ ...printed, code: 0 }),
    (error: unknown) => error as { stdout: string; stderr: string; code: number },
  )
  expect({ commands, code, stderr: code === exitCode ? '' : stderr }).toEqual({
    commands,
    code: exitCode,
    stderr: '',
  })
  return stdout
}

async function serve(): Promise<void> {
  const log = openSync(join(checkout, 'server.log'), 'a')
  server = spawn('bash', ['-c', `exec ${SERVE}`], {
    cwd: checkout,
    env,
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  const ended = once(server, 'exit').then(() => 'ended')
  const ready = waitFor(
    async () => (await fetch(`${env['SKEIN_URL']}/readyz`).catch(() => undefined))?.ok === true,
    { what: 'the server to be ready', timeoutMs: 60_000 },
  )
  expect(await Promise.race([ended, ready])).not.toBe('ended')
}

/** Of a command that is then ended. */
async function readFirstLine(commands: string): Promise<string> {
  const child = spawn('bash', ['-c', `exec ${commands}`], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString()
    if (printed.includes('\n')) break
  }
  child.kill()
  await ended
  return printed.split('\n', 1)[0] ?? ''
}
