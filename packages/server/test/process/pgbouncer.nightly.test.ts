import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrapTenant } from './first-tenant.ts'
import { send, writeDocument } from './http.ts'
import { startPgBouncer, type PgBouncerProcess } from './pgbouncer-process.ts'
import { endProcesses, runCommand, startServer } from './skein-process.ts'

let postgres: PostgresServer
let key: string
let directUrl: string
const poolers: PgBouncerProcess[] = []

beforeAll(async () => {
  postgres = await startPostgresServer()
  await migrate({ connectionString: postgres.url() })
  key = (await bootstrapTenant(postgres.url())).key
})

afterEach(async () => {
  await endProcesses()
  for (const pooler of poolers.splice(0)) await pooler.stop()
})
afterAll(() => postgres.stop())

let logins = 0

/** With a login that nobody has given any settings yet. */
async function startPooler(suite: string, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  logins += 1
  directUrl = await createServerLogin(postgres.url(), { name: `skein_app_${logins}`, password: 'pooled' })
  const pooler = await startPgBouncer(suite, directUrl, settings)
  poolers.push(pooler)
  return pooler.url
}

/** PgBouncer of these Debian releases: 1.24 in trixie. */
const SUPPORTED = (process.env['SKEIN_PGBOUNCER_SUITES'] ?? 'trixie').split(',')

describe.each(SUPPORTED)('a server behind PgBouncer of %s in transaction mode', (suite) => {
  test('answers everything, with the settings that its statements need', async () => {
    const pooled = await startPooler(suite)
    const settings = {
      SKEIN_DATABASE_URL: pooled,
      SKEIN_LISTEN_DATABASE_URL: directUrl,
      SKEIN_MAX_EVENT_LOOP_DELAY_MS: '0',
    }
    const servers = [await startServer(settings), await startServer(settings)]
    const failures: unknown[] = []
    const callers = Array.from({ length: 12 }, async (_, caller) => {
      const { url = '' } = servers[caller % 2] ?? {}
      for (let turn = 0; turn < 20; turn += 1) {
        const { answer } = await writeDocument(url, key, `persona/p${caller}`, { description: String(turn) })
        const read = await send(`${url}/v1/whoami`, { key })
        failures.push(...[answer, read].filter(({ status }) => status !== 200).map(({ body }) => body))
      }
    })
    await Promise.all(callers)
    expect(failures).toEqual([])
    const session = new Client({ connectionString: pooled })
    await session.connect()
    const { rows } = await session.query(
      `select current_setting('statement_timeout') as a, current_setting('lock_timeout') as b,
         current_setting('plan_cache_mode') as c, current_setting('enable_seqscan') as d`,
    )
    await session.end()
    expect(rows).toEqual([{ a: '30s', b: '5s', c: 'force_generic_plan', d: 'off' }])
    for (const { url, process } of servers) {
      expect(await send(`${url}/readyz`)).toMatchObject({ status: 200 })
      expect(process.stdout).not.toContain('notifications of the database do not arrive')
    }
  })

  test('without an address for notifications warns once, and stays ready', async () => {
    const { url, process } = await startServer({ SKEIN_DATABASE_URL: await startPooler(suite) })
    const body = await waitFor(
      async () => {
        const answer = await send(`${url}/readyz`)
        return answer.body['notificationsLost'] === true ? answer : undefined
      },
      { what: 'the server to notice', timeoutMs: 30_000 },
    )
    expect(body.status).toBe(200)
    const warnings = process.logLines.filter(({ msg }) => String(msg).includes('SKEIN_LISTEN_DATABASE_URL'))
    expect(warnings).toMatchObject([{ level: 40 }])
  })

  test('does not start where the pooler keeps no prepared statements', async () => {
    const url = await startPooler(suite, { max_prepared_statements: '0' })
    const { code, stderr } = await runCommand(['serve'], { SKEIN_DATABASE_URL: url, SKEIN_PORT: '0' })
    expect(code).toBe(1)
    expect(stderr).toContain('PgBouncer 1.21 or newer')
  })
})

test('a server does not start behind the PgBouncer of Debian 12, which is too old', async () => {
  const url = await startPooler('bookworm')
  const { code, stderr } = await runCommand(['serve'], { SKEIN_DATABASE_URL: url, SKEIN_PORT: '0' })
  expect(code).toBe(1)
  expect(stderr).toContain('PgBouncer 1.21 or newer')
  expect(stderr).not.toContain('    at ')
})

test('in session mode even an old PgBouncer will do', async () => {
  const url = await startPooler('bookworm', { pool_mode: 'session', default_pool_size: '40' })
  const server = await startServer({ SKEIN_DATABASE_URL: url })
  expect(await send(`${server.url}/readyz`)).toMatchObject({ status: 200 })
  expect(await send(`${server.url}/v1/whoami`, { key })).toMatchObject({ status: 200 })
})
