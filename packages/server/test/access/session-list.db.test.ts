import { randomUUID } from 'node:crypto'
import { startTestServer, type TestClient, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieFor, SAME_ORIGIN } from '../browser.ts'
import { expectSameAnswer } from '../same-answer.ts'

let server: TestServer
let tenant: TestTenant
let bob: TestClient

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
  bob = await tenant.as('member', 'bob')
})

afterAll(() => server.close())

interface Entry {
  readonly id: string
  readonly token: string
  readonly isCurrent: boolean
}

const sessionsOf = async (client: TestClient, headers: Record<string, string> = {}) =>
  (await client.get('/v1/sessions', { headers })).body['sessions'] as Entry[]

const whoami = (cookie: string) => server.anonymous.get('/v1/whoami', { headers: { cookie } })

describe('the sessions of an account', () => {
  test('are listed newest first, whatever token they were opened with, and show which is the caller’s', async () => {
    const second = await tenant.as('viewer', 'bob')
    await cookieFor(server, bob)
    const cookie = await cookieFor(server, second)
    const listed = await sessionsOf(server.anonymous, { cookie })
    expect(listed.map(({ token, isCurrent }) => [token, isCurrent])).toEqual([
      ['viewer-bob', true],
      ['member-bob', false],
    ])
    expect((await sessionsOf(bob)).map(({ isCurrent }) => isCurrent)).toEqual([false, false])
  })

  test('can be ended one by one, immediately, and the audit records it', async () => {
    const cookies = [await cookieFor(server, bob), await cookieFor(server, bob)]
    const [newest] = await sessionsOf(bob)
    expect((await bob.delete(`/v1/sessions/${newest?.id}`)).status).toBe(200)
    expect(await Promise.all(cookies.map(async (cookie) => (await whoami(cookie)).status))).toEqual([
      200, 401,
    ])
    expect((await sessionsOf(bob)).map(({ id }) => id)).not.toContain(newest?.id)
    const { body } = await tenant.admin.get('/v1/audit?kind=session&account=bob')
    expect(body['entries']).toMatchObject([{ operation: 'endSession', name: newest?.id }, {}, {}, {}, {}])
  })

  test('can end themselves', async () => {
    const cookie = await cookieFor(server, bob)
    const own = (await sessionsOf(server.anonymous, { cookie })).find(({ isCurrent }) => isCurrent)
    const headers = { cookie, ...SAME_ORIGIN }
    expect((await server.anonymous.delete(`/v1/sessions/${own?.id}`, { headers })).status).toBe(200)
    expect((await whoami(cookie)).status).toBe(401)
  })

  test('of someone else, of another tenant and none at all are indistinguishable', async () => {
    const rival = await server.createTenant()
    await cookieFor(server, rival.admin)
    await cookieFor(server, tenant.admin)
    const [foreign] = await sessionsOf(rival.admin)
    const [colleague] = await sessionsOf(tenant.admin)
    const missing = await bob.delete(`/v1/sessions/${randomUUID()}`)
    expect(missing).toMatchObject({ status: 404, reason: 'SESSION_NOT_FOUND' })
    for (const entry of [foreign, colleague]) {
      expectSameAnswer(await bob.delete(`/v1/sessions/${entry?.id}`), missing)
    }
    expect((await sessionsOf(rival.admin)).map(({ id }) => id)).toContain(foreign?.id)
  })

  test('whose end is retried after a lost answer are ended once', async () => {
    await cookieFor(server, bob)
    const [newest] = await sessionsOf(bob)
    const end = () => bob.delete(`/v1/sessions/${newest?.id}`, { headers: { 'idempotency-key': 'end-once' } })
    expect([(await end()).status, (await end()).status]).toEqual([200, 200])
  })

  test('are nothing for runners', async () => {
    const runner = await tenant.as('runner')
    expect(await runner.get('/v1/sessions')).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })
})
