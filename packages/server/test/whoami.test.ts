import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

describe('whoami', () => {
  test('tells a caller who it is', async () => {
    const { status, body } = await tenant.admin.get('/v1/whoami')
    expect(status).toBe(200)
    expect(body).toEqual({
      tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ada',
      role: 'admin',
      token: 'admin',
      expireTime: '',
    })
  })

  test('a request without a key is unauthenticated', async () => {
    const answer = await server.anonymous.get('/v1/whoami')
    expect(answer.status).toBe(401)
    expect(answer.reason).toBe('CREDENTIAL_MISSING')
    expect(answer.headers['www-authenticate']).toContain('Bearer')
  })
})
