import { randomBytes } from 'node:crypto'
import { formatKey, KEY_PREFIXES, parseKey } from '@skein/contract/facts'
import { PAGE_SECRET, startTestServer, waitFor, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

let server: TestServer
let tenant: TestTenant
let operator: TestTenant

beforeAll(async () => {
  server = await startTestServer({ settings: { SKEIN_TRUSTED_PROXIES: '127.0.0.1' } })
  operator = await server.createTenant('operators')
})

beforeEach(async () => {
  tenant = await server.createTenant()
})

afterAll(() => server.close())

type Entry = Readonly<Record<string, unknown>>

async function audit(operation: string, of = tenant): Promise<Entry[]> {
  const { body } = await of.admin.get('/v1/audit', { query: { operation, pageSize: '1000' } })
  return body['entries'] as Entry[]
}

/** Written after the answer, so that it takes as long as that to any other key. */
function auditSoon(operation: string, count: number): Promise<Entry[]> {
  return waitFor(
    async () => {
      const entries = await audit(operation)
      return entries.length >= count ? entries : undefined
    },
    { what: `${count} entries of ${operation}` },
  )
}

const withOtherSecret = (key = '') =>
  formatKey(KEY_PREFIXES.apiKey, parseKey(key)?.keyId ?? '', randomBytes(32))

const whoami = (key: string, address = '203.0.113.9') =>
  tenant.client(key).get('/v1/whoami', { headers: { 'x-forwarded-for': address } })

describe('a refused key', () => {
  test('is in the audit of the tenant whose key it is, with where it came from and why', async () => {
    await whoami(withOtherSecret(tenant.admin.key))
    expect(await auditSoon('refuseKey', 1)).toMatchObject([
      {
        kind: 'token',
        name: 'admin',
        account: 'ada',
        address: '203.0.113.9',
        detail: 'wrong secret',
        times: '1',
      },
    ])
    expect(await audit('refuseKey', operator)).toEqual([])
  })

  test('is recorded with its reason: revoked, or expired', async () => {
    const { key = '' } = await tenant.as('viewer', 'gone')
    await tenant.admin.write('token', 'viewer-gone', { revoked: true }, { updateMask: 'revoked' })
    await whoami(key)
    expect(await auditSoon('refuseKey', 1)).toMatchObject([{ detail: 'revoked', name: 'viewer-gone' }])
  })

  test('at the sign-in counts too', async () => {
    const body = { apiKey: withOtherSecret(tenant.admin.key), pageSecret: PAGE_SECRET }
    expect((await server.anonymous.post('/v1/session', body)).status).toBe(401)
    expect(await auditSoon('refuseKey', 1)).toMatchObject([{ detail: 'wrong secret' }])
  })

  test('that comes a thousand times is two rows: the first, and the sum of the rest', async () => {
    const wrong = withOtherSecret(tenant.admin.key)
    for (let count = 0; count < 1000; count += 50) {
      await Promise.all(Array.from({ length: 50 }, () => whoami(wrong)))
    }
    await server.engine.auditTrail.flush(Date.now())
    expect((await audit('refuseKey')).map(({ times }) => times)).toEqual(['999', '1'])
  })

  test('from a thousand addresses does not fill a table: those beyond a hundred are combined', async () => {
    const wrong = withOtherSecret(tenant.admin.key)
    for (let count = 0; count < 1000; count += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          whoami(wrong, `198.51.${(count + index) >> 8}.${(count + index) & 255}`),
        ),
      )
    }
    await server.engine.auditTrail.flush(Date.now())
    const entries = await audit('refuseKey')
    expect(entries.length).toBeLessThanOrEqual(102)
    const sum = entries.reduce((total, { times }) => total + Number(times), 0)
    expect(sum).toBe(1000)
    expect(entries.filter(({ address }) => address === '*').map(({ times }) => times)).toContain('1')
  })

  test('with an id that nobody has is nobody’s', async () => {
    await whoami(formatKey(KEY_PREFIXES.apiKey, 'c1nobodynobodynobodynobody', randomBytes(32)))
    expect(await audit('refuseKey')).toEqual([])
  })
})

describe('what an operator reads in another tenant', () => {
  test('is in that tenant’s audit before it is answered, with the reason that was given', async () => {
    const headers = { 'x-skein-justification': 'asked%20by%20Ada' }
    await operator.operator.get('/v1/catalog/persona', { query: tenant.query, headers })
    await operator.operator.get('/v1/catalog/token/admin', { query: tenant.query })
    expect(await audit('listResources')).toMatchObject([
      { kind: 'persona', name: '', account: 'olga', role: 'operator', justification: 'asked by Ada' },
    ])
    expect(await audit('readResource')).toMatchObject([{ kind: 'token', name: 'admin', justification: '' }])
  })

  test('of agents names the agent, even if its name is longer than 63 characters', async () => {
    const workspace = 'w'.repeat(40)
    const agent = ['a'.repeat(40)]
    await tenant.admin.write('workspace', workspace, {})
    const agentId = { workspace, agent, account: 'ada', tenant: tenant.tenant }
    const spawned = await tenant.admin.post('/v1/agent/spawn', { agentId, description: 'Work.' })
    expect(spawned.status).toBe(200)
    expect((await operator.operator.post('/v1/agent/status', { agentId })).status).toBe(200)
    const name = `${workspace}/${agent.join('/')}`
    const { body } = await tenant.admin.get('/v1/audit', { query: { name } })
    expect(body['entries']).toMatchObject([
      { operation: 'agentStatus', role: 'operator', name },
      { operation: 'spawnAgent', role: 'admin', name },
    ])
  })

  test('again and again is summed up', async () => {
    for (let count = 0; count < 20; count++) {
      await operator.operator.get('/v1/catalog/persona', { query: tenant.query })
    }
    await server.engine.auditTrail.flush(Date.now())
    expect((await audit('listResources')).map(({ times }) => times)).toEqual(['19', '1'])
  })

  test('in its own tenant is nobody’s business, nor is what others read', async () => {
    await operator.operator.get('/v1/catalog/persona')
    await tenant.admin.get('/v1/catalog/persona')
    expect(await audit('listResources', operator)).toEqual([])
    expect(await audit('listResources')).toEqual([])
  })
})
