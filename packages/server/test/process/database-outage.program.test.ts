import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { connect, createServer, type Socket } from 'node:net'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrapTenant } from './first-tenant.ts'
import { send, writeDocument } from './http.ts'
import { endProcesses, runCommand, startServer } from './skein-process.ts'

let postgres: PostgresServer

beforeAll(async () => {
  postgres = await startPostgresServer({ durable: true })
})

afterEach(endProcesses)
afterAll(() => postgres.stop())

const login = { name: 'skein_app', password: 'outage' }

describe('a server on a database that is not ready for it', () => {
  test('says that the migrations have to run first', async () => {
    const { code, stderr } = await runCommand(['serve'], { SKEIN_DATABASE_URL: postgres.url() })
    expect(code).toBe(1)
    expect(stderr).toContain('run the migrations first')
  })

  test('refuses to start as a superuser, and says what to do', async () => {
    await migrate({ connectionString: postgres.url() })
    const { code, stderr } = await runCommand(['serve'], { SKEIN_DATABASE_URL: postgres.url() })
    expect(code).toBe(1)
    expect(stderr).toContain('SKEIN_DATABASE_URL is not safe to serve with: postgres is a superuser')
    expect(stderr).toContain('docs/operations.md')
  })

  test('names a wrong password plainly', async () => {
    const url = await createServerLogin(postgres.url(), login)
    const { code, stderr } = await runCommand(['serve'], {
      SKEIN_DATABASE_URL: url.replace('outage', 'wrong'),
    })
    expect(code).toBe(1)
    expect(stderr).toContain('password authentication failed')
    expect(stderr).not.toContain('    at ')
  })
})

describe('a server that starts while the database is slow', () => {
  test('keeps trying to connect, instead of ending', async () => {
    await migrate({ connectionString: postgres.url() })
    const url = await createServerLogin(postgres.url(), login)
    const line = await openSilentLine(url, 2)
    const server = await startServer({ SKEIN_DATABASE_URL: line.url, SKEIN_DATABASE_CONNECT_MS: '500' })
    expect(await send(`${server.url}/readyz`)).toMatchObject({ status: 200 })
    const warnings = server.process.logLines.filter(({ msg }) => String(msg).includes('trying again'))
    expect(warnings.length).toBeGreaterThanOrEqual(2)
    server.process.signal('SIGTERM')
    await server.process.ended
    line.close()
  })
})

describe('a server whose PostgreSQL is killed and comes back', () => {
  test('answers 503 in the envelope in the meantime, loses nothing it acknowledged, and recovers automatically', async () => {
    await migrate({ connectionString: postgres.url() })
    const { key, tenantId } = await bootstrapTenant(postgres.url())
    const { url, process } = await startServer({
      SKEIN_DATABASE_URL: await createServerLogin(postgres.url(), login),
      SKEIN_MAX_EVENT_LOOP_DELAY_MS: '0',
    })
    const written = await writeDocument(url, key, 'persona/kept', { description: 'kept' })
    expect(written.answer.status).toBe(200)
    const read = () => send(`${url}/v1/catalog/persona/kept`, { key })

    // Killed in the middle of a transaction, with idle connections beside it.
    const blocker = await holdLock(`${tenantId}/persona/blocked`)
    const blocked = writeDocument(url, key, 'persona/blocked', { description: 'never' })
    await Promise.all(Array.from({ length: 8 }, read))
    await waitForWaiter()
    await postgres.kill()
    blocker.release()
    expect((await blocked).answer).toMatchObject({ status: 503, reason: 'DATABASE_UNAVAILABLE' })

    const outage = await read()
    expect(outage).toMatchObject({ status: 503, reason: 'DATABASE_UNAVAILABLE', body: { code: 14 } })
    expect(outage.headers['retry-after']).toBeDefined()
    expect(outage.headers['x-request-id']).toBeDefined()
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 503, reason: 'DATABASE_UNAVAILABLE' })
    expect(await send(`${url}/healthz`)).toMatchObject({ status: 200 })
    expect(process.isRunning).toBe(true)

    await postgres.start()
    const backAt = performance.now()
    const recovered = await waitFor(async () => ((await read()).status === 200 ? read() : undefined), {
      what: 'the server to recover',
      timeoutMs: 20_000,
    })
    console.log(
      `a server answered again ${Math.round(performance.now() - backAt)} ms after its database came back`,
    )
    expect(recovered.body['payload']).toBe(written.answer.body['payload'])
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200 })
    expect(await send(`${url}/v1/catalog/persona/blocked`, { key })).toMatchObject({ status: 404 })
    process.signal('SIGTERM')
    expect(await process.ended).toBe(0)
  })
})

async function holdLock(place: string): Promise<{ release(): void }> {
  const client = new Client({ connectionString: postgres.url() })
  // Dies with the server, which is the point.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [place])
  return { release: () => void client.end().catch(() => undefined) }
}

async function waitForWaiter(): Promise<void> {
  const client = new Client({ connectionString: postgres.url() })
  await client.connect()
  const sql = `select from pg_locks where locktype = 'advisory' and not granted`
  await waitFor(async () => (await client.query(sql)).rowCount, { what: 'a write to wait for its lock' })
  await client.end()
}

/** A line to the database whose first connections are accepted, but never answered. */
async function openSilentLine(databaseUrl: string, silent: number): Promise<{ url: string; close(): void }> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let accepted = 0
  const line = createServer((near) => {
    sockets.add(near.on('error', () => {}))
    accepted += 1
    if (accepted <= silent) return
    const far = connect(Number(target.port), target.hostname)
    sockets.add(far.on('error', () => near.destroy()))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => void line.listen(0, '127.0.0.1', resolve))
  const address = line.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url: url.href,
    close() {
      line.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
