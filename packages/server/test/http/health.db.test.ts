import { connect } from 'node:net'
import {
  createEmptyDatabase,
  createTestDatabase,
  startTestServer,
  waitFor,
  type TestServer,
} from '@skein/testkit'
import { Client } from 'pg'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabaseLine } from '../database-line.ts'

let server: TestServer

afterEach(() => server.close())

describe('a server that loses its database', () => {
  test('is alive, not ready, and tells callers when to retry', async () => {
    const line = await openDatabaseLine(await createTestDatabase())
    server = await startTestServer({ database: line.database })
    const tenant = await server.createTenant()
    expect(await server.anonymous.get('/readyz')).toMatchObject({ status: 200 })
    line.cut()
    expect(await server.anonymous.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
    const answers = await waitFor(
      async () => {
        const all = [await server.anonymous.get('/readyz'), await tenant.admin.get('/v1/whoami')]
        return all.every(({ status }) => status === 503) && all
      },
      { what: 'the loss to be noticed' },
    )
    for (const answer of answers) {
      expect(answer).toMatchObject({ reason: 'DATABASE_UNAVAILABLE', body: { code: 14 } })
      expect(answer.headers['retry-after']).toBe('1')
      expect(answer.text).not.toContain('127.0.0.1')
    }
  })
})

describe('/readyz', () => {
  test('says that the database has the schema of this build', async () => {
    server = await startTestServer()
    const answer = await server.anonymous.get('/readyz')
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(answer.body['schemaVersion']).toBeGreaterThan(0)
  })

  test('says no while migrations are missing, and which', async () => {
    const empty = await createEmptyDatabase()
    server = await startTestServer({ database: { ...empty, serverUrl: empty.ownerUrl } })
    const answer = await server.anonymous.get('/readyz')
    expect(answer).toMatchObject({ status: 503, reason: 'DATABASE_UNAVAILABLE' })
    expect(answer.text).toContain('The database is at schema 0')
  })

  test('says no while the functions of this build are missing', async () => {
    const database = await createTestDatabase()
    server = await startTestServer({ database })
    const owner = new Client({ connectionString: database.ownerUrl })
    await owner.connect()
    onTestFinished(() => owner.end())
    await owner.query('delete from skein_function_set')
    const answer = await server.anonymous.get('/readyz')
    expect(answer).toMatchObject({ status: 503, reason: 'DATABASE_UNAVAILABLE' })
    expect(answer.text).toContain('does not have the functions of this build. Run the migrations.')
  })

  test('fails once the server is told to stop, on a connection that is still open', async () => {
    server = await startTestServer()
    const { port } = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
    const socket = connect(Number(port), '127.0.0.1')
    const received: string[] = []
    socket.on('data', (data) => received.push(data.toString()))
    socket.write('GET /healthz HTTP/1.1\r\nHost: skein\r\n\r\nGET /readyz HTTP/1.1\r\nHost: skein\r\n')
    await waitFor(() => received.length > 0, { what: 'the first answer' })
    const closed = server.app.close()
    await waitFor(() => !server.app.server.listening, { what: 'the server to stop listening' })
    socket.write('\r\n')
    await waitFor(() => received.join('').includes('SERVER_STOPPING'), { what: 'the second answer' })
    expect(received.join('')).toContain('HTTP/1.1 503')
    socket.destroy()
    await closed
  })
})

describe('/metrics', () => {
  test('counts answers by operation and status, and names no tenant', async () => {
    server = await startTestServer()
    const tenant = await server.createTenant('acme-secret-org')
    await tenant.admin.get('/v1/whoami')
    await server.anonymous.get('/v1/whoami')
    const { statusCode, headers, body } = await server.app.inject('/metrics')
    expect(statusCode).toBe(200)
    expect(headers['content-type']).toContain('text/plain')
    expect(body).toContain('skein_http_request_duration_seconds_count{operation="whoami",status="200"} 1')
    expect(body).toContain('skein_http_request_duration_seconds_count{operation="whoami",status="401"} 1')
    expect(body).toMatch(/skein_database_connections\{state="idle"\} \d/)
    expect(body).not.toContain('acme-secret-org')
  })

  test('wants the token that is configured', async () => {
    server = await startTestServer({ settings: { SKEIN_METRICS_TOKEN: 'scrape-me' } })
    const scrape = (authorization?: string) =>
      server.anonymous.get('/metrics', authorization === undefined ? {} : { headers: { authorization } })
    expect(await scrape()).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
    expect(await scrape('Bearer scrape-it')).toMatchObject({ status: 401 })
    expect(await scrape('Bearer scrape-me')).toMatchObject({ status: 200 })
  })
})
