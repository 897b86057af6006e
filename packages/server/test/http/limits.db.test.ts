import { startTestServer, waitFor, type TestServer } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'

let server: TestServer

afterEach(() => server.close())

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('the limit of a caller', () => {
  test('is in every response, and requests beyond it are rejected with a retry delay', async () => {
    server = await startTestServer({ settings: { SKEIN_CALLER_REQUESTS_PER_MINUTE: '3' } })
    const tenant = await server.createTenant()
    const first = await tenant.admin.get('/v1/whoami')
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '3', 'ratelimit-remaining': '2' })
    expect(Number(first.headers['ratelimit-reset'])).toBeLessThanOrEqual(60)
    await tenant.admin.get('/v1/catalog')
    await tenant.admin.get('/v1/audit')
    const refused = await tenant.admin.get('/v1/whoami')
    expect(refused).toMatchObject({ status: 429, reason: 'RATE_LIMITED', body: { code: 8 } })
    expect(refused.text).toMatch(
      /"@type":"type.googleapis.com\/google.rpc.RetryInfo","retryDelay":"\d+(\.\d+)?s"/,
    )
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  test('is separate for each token, even for tokens with the same name in other tenants', async () => {
    server = await startTestServer({ settings: { SKEIN_CALLER_REQUESTS_PER_MINUTE: '1' } })
    const [acme, rival] = [await server.createTenant(), await server.createTenant()]
    expect((await acme.admin.get('/v1/whoami')).status).toBe(200)
    expect((await acme.admin.get('/v1/whoami')).status).toBe(429)
    expect((await acme.operator.get('/v1/whoami')).status).toBe(200)
    expect((await rival.admin.get('/v1/whoami')).status).toBe(200)
  })

  test('is not used up by someone who only guesses its keys', async () => {
    server = await startTestServer({ settings: { SKEIN_CALLER_REQUESTS_PER_MINUTE: '1' } })
    const tenant = await server.createTenant()
    for (let guess = 0; guess < 3; guess++) {
      expect((await tenant.client('skn_guess.guess').get('/v1/whoami')).status).toBe(401)
    }
    expect((await tenant.admin.get('/v1/whoami')).status).toBe(200)
  })
})

describe('the limit of an address', () => {
  const settings = { SKEIN_ADDRESS_REQUESTS_PER_MINUTE: '2' }

  test('holds before a key is looked up, so that guessing is slow', async () => {
    server = await startTestServer({ settings })
    const client = server.anonymous
    expect((await client.get('/v1/whoami')).status).toBe(401)
    const second = await client.get('/v1/whoami')
    expect(second.status).toBe(401)
    expect(second.headers['ratelimit-remaining']).toBe('0')
    expect(await client.get('/v1/whoami')).toMatchObject({ status: 429, reason: 'RATE_LIMITED' })
  })

  test('counts addresses that a trusted proxy names, and believes nobody else', async () => {
    server = await startTestServer({ settings })
    await server.anonymous.get('/v1/whoami', from('192.0.2.1'))
    await server.anonymous.get('/v1/whoami', from('192.0.2.2'))
    expect((await server.anonymous.get('/v1/whoami', from('192.0.2.3'))).status).toBe(429)
    await server.close()
    server = await startTestServer({ settings: { ...settings, SKEIN_TRUSTED_PROXIES: '127.0.0.1' } })
    await server.anonymous.get('/v1/whoami', from('192.0.2.1'))
    await server.anonymous.get('/v1/whoami', from('192.0.2.1'))
    expect((await server.anonymous.get('/v1/whoami', from('192.0.2.1'))).status).toBe(429)
    expect((await server.anonymous.get('/v1/whoami', from('192.0.2.2'))).status).toBe(401)
  })

  test('and the limit of the caller hold side by side', async () => {
    server = await startTestServer({ settings: { ...settings, SKEIN_CALLER_REQUESTS_PER_MINUTE: '1' } })
    const tenant = await server.createTenant()
    expect((await tenant.admin.get('/v1/whoami')).status).toBe(200)
    expect((await tenant.admin.get('/v1/whoami')).status).toBe(429)
    expect((await tenant.operator.get('/v1/whoami')).status).toBe(429)
  })

  test('of 0 means none', async () => {
    server = await startTestServer()
    const { headers } = await server.anonymous.get('/v1/whoami')
    expect(headers['ratelimit-limit']).toBeUndefined()
  })
})

describe('a server whose event loop lags', () => {
  test('refuses what comes back by itself, and serves browsers, runners and health checks', async () => {
    server = await startTestServer({ settings: { SKEIN_MAX_EVENT_LOOP_DELAY_MS: '1' } })
    const tenant = await server.createTenant()
    const { admin } = tenant
    const stranger = tenant.client('skn_guess.guess')
    const lag = setInterval(blockLoop, 25)
    try {
      const answers: { readonly status: number; readonly reason: string | undefined }[] = []
      await waitFor(
        async () => {
          const { status, reason } = await admin.get('/v1/whoami')
          answers.push({ status, reason })
          return status === 503
        },
        { what: 'the server to notice the lag', timeoutMs: 60_000 },
      )
      expect(answers.at(-1)).toEqual({ status: 503, reason: 'SERVER_OVERLOADED' })
      expect((await stranger.post('/v1/runner/poll', {})).status).toBe(401)
      expect((await server.anonymous.get('/healthz')).status).toBe(200)
      expect((await server.anonymous.get('/sign-in', { headers: { accept: 'text/html' } })).status).toBe(200)
      expect((await admin.get('/v1/whoami')).status).toBe(503)
    } finally {
      clearInterval(lag)
    }
  })
})

function blockLoop(): void {
  const until = performance.now() + 20
  while (performance.now() < until);
}
