import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, waitFor, type TestDatabase } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bootstrapTenant } from './first-tenant.ts'
import { send, writeDocument } from './http.ts'
import { endProcesses, runCommand, startServer } from './skein-process.ts'

let database: TestDatabase
let tenant: { tenantId: string; key: string }
let settings: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  tenant = await bootstrapTenant(database.ownerUrl)
  settings = { SKEIN_DATABASE_URL: database.serverUrl }
})

afterEach(endProcesses)
afterAll(() => database.drop())

/** Holds the lock that a write of this persona needs. Answers how to let it go. */
async function lockPersona(name: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  const place = `${tenant.tenantId}/persona/${name}`
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [place])
  return () => client.end()
}

async function waitForWaitingWrite(): Promise<void> {
  const client = new Client({ connectionString: database.ownerUrl })
  await client.connect()
  const sql = `select from pg_locks where locktype = 'advisory' and not granted`
  await waitFor(async () => (await client.query(sql)).rowCount, { what: 'a write to wait for its lock' })
  await client.end()
}

describe('a server', () => {
  test('on port 0 says where it listens, is ready, and answers', async () => {
    const { url } = await startServer(settings)
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await send(`${url}/healthz`)).toMatchObject({ status: 200 })
    const { status, body } = await send(`${url}/v1/whoami`, { key: tenant.key })
    expect(status).toBe(200)
    expect(body).toMatchObject({ account: 'ada', role: 'admin' })
  })

  test('reads its secrets from files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-secrets-'))
    await writeFile(join(folder, 'url'), `${database.serverUrl}\n`, { mode: 0o400 })
    await writeFile(join(folder, 'key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o400 })
    const { url } = await startServer({
      SKEIN_DATABASE_URL_FILE: join(folder, 'url'),
      SKEIN_MASTER_KEY: '',
      SKEIN_MASTER_KEY_FILE: join(folder, 'key'),
    })
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200 })
    await rm(folder, { recursive: true })
  })

  test('logs each answer with its request id, and never a key, a secret or a document', async () => {
    const { url, process } = await startServer({ ...settings, SKEIN_LOG_LEVEL: 'trace' })
    const { document } = await writeDocument(url, tenant.key, 'token/logged', {
      account: 'ci',
      role: 'viewer',
    })
    const minted = String(document['key'])
    await writeDocument(url, tenant.key, 'secret/logged', { value: 'correct horse' })
    const headers = { 'x-request-id': 'find-me-again' }
    const answer = await send(`${url}/v1/whoami?bogus=${minted}`, { key: minted, headers })
    expect(answer.headers['x-request-id']).toBe('find-me-again')
    const line = await waitFor(
      () =>
        process.logLines.find(({ requestId, msg }) => requestId === 'find-me-again' && msg === 'answered'),
      { what: 'the request to be logged' },
    )
    expect(line).toMatchObject({ operation: 'whoami', status: 400, token: 'logged', tenant: 'acme' })
    expect(process.logLines.filter(({ msg }) => msg === 'answered').every(({ requestId }) => requestId)).toBe(
      true,
    )
    const secrets = [tenant.key, minted, minted.split('.')[1], 'correct horse', 'correct%20horse']
    for (const secret of secrets) expect(process.stdout + process.stderr).not.toContain(secret)
    expect(process.stdout).not.toContain(
      Buffer.from('{"value":"correct horse"}').toString('base64').slice(4, 24),
    )
  })

  test('ignores an expectation that it does not know, instead of answering without an envelope', async () => {
    const { url } = await startServer(settings)
    const { status, headers, body } = await send(`${url}/v1/whoami`, { headers: { expect: 'bogus' } })
    expect(status).toBe(401)
    expect(headers['x-request-id']).toBeDefined()
    expect(body).toMatchObject({ code: 16 })
  })

  test('whose port is taken says so and ends', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const address = squatter.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { code, stderr } = await runCommand(['serve'], { ...settings, SKEIN_PORT: String(port) })
    squatter.close()
    expect(code).toBe(1)
    expect(stderr).toContain('SKEIN_PORT')
    expect(stderr).toContain('EADDRINUSE')
    expect(stderr).not.toContain('    at ')
  })
})

describe('a server that is told to stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends with 0 and closes its connections',
    async (signal) => {
      const { url, process } = await startServer(settings)
      await send(`${url}/v1/whoami`, { key: tenant.key })
      process.signal(signal)
      expect(await process.ended).toBe(0)
      expect(process.stderr).toBe('')
      await expect(send(`${url}/healthz`)).rejects.toThrow('ECONNREFUSED')
    },
  )

  test('finishes the request that it is working on, and only then ends', async () => {
    const { url, process } = await startServer(settings)
    const release = await lockPersona('slow')
    const agent = new Agent({ keepAlive: true })
    const payload = Buffer.from('{"description":"slow"}').toString('base64')
    const slow = send(`${url}/v1/catalog/persona/slow`, {
      method: 'POST',
      key: tenant.key,
      body: { payload },
      agent,
    })
    await waitForWaitingWrite()
    process.signal('SIGTERM')
    await waitFor(() => process.stdout.includes('the server is stopping'), {
      what: 'the server to begin to stop',
    })
    expect(process.isRunning).toBe(true)
    await release()
    expect(await slow).toMatchObject({ status: 200, body: { generation: '1' } })
    const answeredAt = performance.now()
    expect(await process.ended).toBe(0)
    // A kept-alive connection has no pending request, so nothing waits for its timeout.
    expect(performance.now() - answeredAt).toBeLessThan(5_000)
    agent.destroy()
  })

  test('tells the load balancer first: /readyz fails on a connection that is still open', async () => {
    const { url, process } = await startServer(settings)
    const release = await lockPersona('slow')
    const payload = Buffer.from('{"description":"slow"}').toString('base64')
    const slow = send(`${url}/v1/catalog/persona/slow`, {
      method: 'POST',
      key: tenant.key,
      body: { payload },
    })
    await waitForWaitingWrite()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    // Half a request: the connection is busy, so it is not closed with the idle ones.
    socket.write('GET /readyz HTTP/1.1\r\nhost: localhost\r\n')
    await waitFor(() => socket.readyState === 'open', { what: 'the connection to be open' })
    await send(`${url}/healthz`)
    process.signal('SIGTERM')
    await waitFor(() => process.stdout.includes('the server is stopping'), {
      what: 'the server to begin to stop',
    })
    socket.write('\r\n')
    await waitFor(() => received.includes('SERVER_STOPPING'), { what: '/readyz to fail' })
    expect(received).toMatch(/^HTTP\/1\.1 503 /)
    await release()
    await slow
    expect(await process.ended).toBe(0)
    socket.destroy()
  })

  test('with a delay is immediately no longer ready but keeps serving, until the next SIGTERM', async () => {
    const { url, process } = await startServer({ ...settings, SKEIN_SHUTDOWN_DELAY_MS: '600000' })
    process.signal('SIGTERM')
    await waitFor(async () => (await send(`${url}/readyz`)).reason === 'SERVER_STOPPING', {
      what: '/readyz to fail',
    })
    const agent = new Agent({ keepAlive: true })
    const answer = await send(`${url}/v1/whoami`, { key: tenant.key, agent })
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect(await send(`${url}/healthz`)).toMatchObject({ status: 200 })
    agent.destroy()
    process.signal('SIGTERM')
    expect(await process.ended).toBe(0)
    expect(process.stderr).toBe('')
  })

  test('with a delay lets clients close idle connections within it, but itself keeps them longer', async () => {
    const { url } = await startServer({ ...settings, SKEIN_SHUTDOWN_DELAY_MS: '3000' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const kept = await send(`${url}/healthz`, { agent })
    expect(kept.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=3' })
    agent.destroy()
    // Who wants to close the connection is not told to keep it.
    const closed = await send(`${url}/healthz`)
    expect(closed.headers).toMatchObject({ connection: 'close' })
    expect(closed.headers).not.toHaveProperty('keep-alive')
  })

  test('with a delay ends by itself when it is over', async () => {
    const { process } = await startServer({ ...settings, SKEIN_SHUTDOWN_DELAY_MS: '50' })
    process.signal('SIGTERM')
    expect(await process.ended).toBe(0)
  })

  test('abandons a request that outlasts the grace period, and shows it in its exit code', async () => {
    const { url, process } = await startServer({ ...settings, SKEIN_SHUTDOWN_GRACE_MS: '300' })
    const release = await lockPersona('endless')
    const payload = Buffer.from('{}').toString('base64')
    const endless = send(`${url}/v1/catalog/persona/endless`, {
      method: 'POST',
      key: tenant.key,
      body: { payload },
    })
    const outcome = endless.then(
      () => 'answered',
      () => 'cut off',
    )
    await waitForWaitingWrite()
    process.signal('SIGTERM')
    expect(await process.ended).toBe(1)
    expect(await outcome).toBe('cut off')
    await release()
  })
})
