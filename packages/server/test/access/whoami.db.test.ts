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
  test('returns the caller’s identity', async () => {
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

  test('says until when a key works, in UTC with milliseconds', async () => {
    const { document } = await tenant.admin.write('token', 'short', {
      account: 'bob',
      role: 'viewer',
      expireTime: '2999-01-01T02:00:00+02:00',
    })
    const { body } = await tenant.client(String(document['key'])).get('/v1/whoami')
    expect(body).toMatchObject({ account: 'bob', role: 'viewer', expireTime: '2999-01-01T00:00:00.000Z' })
  })

  test.each(['viewer', 'member', 'admin', 'runner'] as const)('answers a %s', async (role) => {
    const caller = await tenant.as(role, 'eve')
    expect(await caller.get('/v1/whoami')).toMatchObject({ status: 200, body: { role, account: 'eve' } })
  })

  test('refuses a parameter that nobody reads', async () => {
    const answer = await tenant.admin.get('/v1/whoami?verbose=true')
    expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: ['verbose'] })
  })
})

async function permissions(role: Parameters<TestTenant['as']>[0]) {
  return (await (await tenant.as(role, 'pam')).get('/v1/permissions')).body
}

describe('permissions', () => {
  test('say what a viewer, a member and an admin may do', async () => {
    const viewer = await permissions('viewer')
    expect(viewer).toMatchObject({ grantableRoles: [], mustJustify: false })
    expect(viewer['permissions']).toContain('agent.read')
    expect(viewer['permissions']).not.toContain('agent.drive')
    const member = await permissions('member')
    expect(member['permissions']).toContain('agent.drive')
    expect(member['permissions']).not.toContain('catalog.write')
    const admin = await permissions('admin')
    expect(admin['permissions']).toEqual(expect.arrayContaining(['catalog.write', 'agent.drive-any']))
    expect(admin['grantableRoles']).not.toContain('operator')
  })

  test('reveal nothing to anyone without a key', async () => {
    expect(await server.anonymous.get('/v1/permissions')).toMatchObject({ status: 401 })
  })
})
