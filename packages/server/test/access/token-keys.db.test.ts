import { startTestServer, TestClock, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const HOUR_MS = 3_600_000
const clock = new TestClock(Date.UTC(2026, 10, 15))
let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

const document = { account: 'ci', role: 'viewer' }
const inHours = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString()

async function writeToken(name: string, fields: Record<string, unknown> = {}): Promise<string | undefined> {
  const answer = await tenant.admin.write('token', name, { ...document, ...fields })
  expect(answer.status).toBe(200)
  const { key } = answer.document
  return typeof key === 'string' ? key : undefined
}

const statusOf = async (key: string | undefined) =>
  (await tenant.client(key ?? 'none').get('/v1/whoami')).status

describe('a rotation', () => {
  test('returns a new key, and the old one keeps working for the overlap and no longer', async () => {
    const first = await writeToken('overlap')
    const second = await writeToken('overlap', { keyVersion: 2, overlap: '3600s' })
    expect(second).toBeDefined()
    expect(second).not.toBe(first)
    clock.advance(HOUR_MS - 1)
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    clock.advance(1)
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
  })

  test('without an overlap revokes the old key immediately', async () => {
    const first = await writeToken('at-once')
    const second = await writeToken('at-once', { keyVersion: 2 })
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
  })

  test('never extends the life of an old key', async () => {
    const first = await writeToken('expiring', { expireTime: inHours(1) })
    await writeToken('expiring', { keyVersion: 2, overlap: '36000s', expireTime: inHours(100) })
    clock.advance(HOUR_MS)
    expect(await statusOf(first)).toBe(401)
  })

  test('with the longest possible overlap leaves the old key with a representable expiry', async () => {
    const first = await writeToken('for-ever')
    await writeToken('for-ever', { keyVersion: 2, overlap: '315576000000s' })
    const { status, body } = await tenant.client(first ?? '').get('/v1/whoami')
    expect({ status, expireTime: body['expireTime'] }).toEqual({
      status: 200,
      expireTime: '9999-12-31T23:59:59.999Z',
    })
  })

  test('happens only when the version is raised', async () => {
    const first = await writeToken('steady')
    expect(await writeToken('steady', { description: 'Still the same.' })).toBeUndefined()
    expect(await statusOf(first)).toBe(200)
  })
})

describe('a change of the token', () => {
  test('holds for the keys that it already has', async () => {
    const key = await writeToken('promoted')
    await writeToken('promoted', { role: 'admin', account: 'bot' })
    const { body } = await tenant.client(key ?? '').get('/v1/whoami')
    expect(body).toMatchObject({ role: 'admin', account: 'bot' })
  })

  test('to expire sooner holds for the key before the rotation as well', async () => {
    const first = await writeToken('sooner')
    const second = await writeToken('sooner', { keyVersion: 2, overlap: '36000s' })
    await writeToken('sooner', { keyVersion: 2, overlap: '36000s', expireTime: inHours(1) })
    clock.advance(HOUR_MS)
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401])
  })

  test('to revoke it ends every key, those within an overlap too', async () => {
    const first = await writeToken('revoked')
    const second = await writeToken('revoked', { keyVersion: 2, overlap: '3600s' })
    await writeToken('revoked', { keyVersion: 2, overlap: '3600s', revoked: true })
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401])
  })

  test('cannot bring a revoked token back by rotating it', async () => {
    await writeToken('dead', { revoked: true })
    const key = await writeToken('dead', { revoked: true, keyVersion: 2 })
    expect(await statusOf(key)).toBe(401)
  })

  test('away from an expiry in the past brings its newest key back', async () => {
    const key = await writeToken('extended', { expireTime: inHours(-1) })
    await writeToken('extended', { expireTime: inHours(1) })
    expect(await statusOf(key)).toBe(200)
  })
})

test('deleting a token ends all its keys', async () => {
  const first = await writeToken('deleted')
  const second = await writeToken('deleted', { keyVersion: 2, overlap: '3600s' })
  await tenant.admin.delete('/v1/catalog/token/deleted')
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401])
})
