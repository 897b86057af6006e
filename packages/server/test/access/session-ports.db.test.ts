import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieFor, SAME_ORIGIN } from '../browser.ts'

let server: TestServer
let tenant: TestTenant
let cookie: string

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant()
  cookie = await cookieFor(server, tenant.admin)
})

afterAll(() => server.close())

describe('a cookie that another port of the host was sent', () => {
  test.each([
    ['nothing', ''],
    ['a guess', 'x'.repeat(43)],
    ['the secret of another page', 'page-secret-of-somebody-else-0123456789-0123456789'],
  ])('gives no access with %s, whatever else the sender claims', async (_what, secret) => {
    const headers = { cookie, ...SAME_ORIGIN, origin: 'http://127.0.0.1:8080', 'x-skein-page-secret': secret }
    expect((await server.anonymous.get('/v1/whoami', { headers })).status).toBe(401)
    expect((await server.anonymous.write('persona', 'p', {}, {}, { headers })).status).toBe(401)
    expect((await server.anonymous.delete('/v1/session', { headers })).status).toBe(401)
  })

  test('opens nothing alone', async () => {
    const answer = await server.app.inject({
      url: '/v1/whoami',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    })
    expect(answer.statusCode).toBe(401)
    expect(answer.body).toContain('CREDENTIAL_MISSING')
  })

  test('is still the session of the page that signed in', async () => {
    expect((await server.anonymous.get('/v1/whoami', { headers: { cookie } })).status).toBe(200)
  })
})

test('a page’s secret must be long enough that nobody guesses it', async () => {
  for (const pageSecret of ['', 'short', `${'x'.repeat(43)} `, 'x'.repeat(129)]) {
    const body = { apiKey: tenant.admin.key, pageSecret }
    expect((await server.anonymous.post('/v1/session', body, { headers: SAME_ORIGIN })).status).toBe(400)
  }
})
