import { OPERATIONS, type Operation } from '@skein/contract'
import {
  createTestDatabase,
  PAGE_SECRET,
  startTestServer,
  TestClock,
  type TestClient,
  type TestServer,
  type TestTenant,
} from '@skein/testkit'
import * as fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieFor, cookieOf, SAME_ORIGIN, signInWith } from '../browser.ts'

const DAY_MS = 86_400_000
const clock = new TestClock(Date.UTC(2026, 10, 15))
let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer({ clock })
  tenant = await server.createTenant('acme')
  await tenant.admin.write('workspace', 'shop', {})
})

afterAll(() => server.close())

const whoami = (cookie: string) => server.anonymous.get('/v1/whoami', { headers: { cookie } })
const change = (headers: Record<string, string>) =>
  server.anonymous.write('persona', 'p', {}, {}, { headers })

describe('signing in', () => {
  test('creates a session with the key’s own identity, in a cookie that no script and no other site can use', async () => {
    const answer = await signInWith(server, tenant.admin.key ?? '')
    expect(answer.body).toEqual({
      identity: (await tenant.admin.get('/v1/whoami')).body,
      expireTime: new Date(clock.now() + 7 * DAY_MS).toISOString(),
    })
    expect(answer.headers['set-cookie']).toMatch(
      /^skein=c1\.[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    )
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await whoami(cookieOf(answer))).body).toMatchObject({ account: 'ada', role: 'admin' })
  })

  test('behind HTTPS sets a cookie that only this host, over HTTPS, can have set', async () => {
    const secure = await startTestServer({
      database: server.database,
      settings: { SKEIN_PUBLIC_URL: 'https://skein.example.com' },
    })
    const answer = await signInWith(secure, tenant.admin.key ?? '')
    expect(answer.headers['set-cookie']).toMatch(/^__Host-skein=c1\.[A-Za-z0-9_-]{43}; Path=\/; .*; Secure$/)
    const cookie = cookieOf(answer)
    expect((await secure.anonymous.get('/v1/whoami', { headers: { cookie } })).status).toBe(200)
    const planted = cookie.replace('__Host-', '')
    expect(await secure.anonymous.get('/v1/whoami', { headers: { cookie: planted } })).toMatchObject({
      status: 401,
      reason: 'CREDENTIAL_MISSING',
    })
    await secure.close()
  })

  test.each(['', 'nonsense', 'skn_nobody.nothing', 'skr_a-run'])('is refused with %j', async (apiKey) => {
    const answer = await signInWith(server, apiKey)
    expect([400, 401]).toContain(answer.status)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('is rejected for the key of a runner, which is not a person', async () => {
    const runner = await tenant.as('runner')
    const answer = await signInWith(server, runner.key ?? '')
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test('is refused for the key of a share link', async () => {
    const link = { workspace: 'shop', agent: ['fix'], account: 'ada' }
    const { document } = await tenant.admin.write('share-link', 'no-sign-in', link)
    const answer = await signInWith(server, String(document['key']))
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('is refused with a key that was revoked a moment ago', async () => {
    const { key = '' } = await tenant.as('viewer', 'gone')
    await tenant.client(key).get('/v1/whoami')
    await tenant.admin.write('token', 'viewer-gone', { revoked: true }, { updateMask: 'revoked' })
    expect(await signInWith(server, key)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin', { origin: 'https://evil.example.com' }],
    ['nowhere', { origin: 'null' }],
  ])('is refused to a page of %s, with the right key', async (_who, headers) => {
    const body = { apiKey: tenant.admin.key, pageSecret: PAGE_SECRET }
    const answer = await server.anonymous.post('/v1/session', body, { headers })
    expect(answer).toMatchObject({ status: 403, reason: 'CROSS_SITE_REQUEST' })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('is slowed down by address, as guessing keys is', async () => {
    const slow = await startTestServer({
      database: server.database,
      settings: { SKEIN_ADDRESS_REQUESTS_PER_MINUTE: '2' },
    })
    await signInWith(slow, 'guess-1')
    await signInWith(slow, 'guess-2')
    const answer = await signInWith(slow, tenant.admin.key ?? '')
    expect(answer).toMatchObject({ status: 429, reason: 'RATE_LIMITED' })
    await slow.close()
  })

  test('leaves neither the key nor the cookie’s secret in a log or in the database', async () => {
    const { key = '' } = await tenant.as('viewer', 'quiet')
    const secret = (await cookieFor(server, tenant.client(key))).split('=c1.')[1] ?? ''
    await whoami(`skein=${secret}`)
    const owner = new Client({ connectionString: server.database.ownerUrl })
    await owner.connect()
    const { rows } = await owner.query<{ text: string }>('select s::text as text from browser_session s')
    await owner.end()
    expect(secret.length).toBe(43)
    for (const text of [...server.logLines, ...rows.map((row) => row.text)]) {
      expect(text.includes(secret)).toBe(false)
      expect(text.includes(key.split('.')[1] ?? key)).toBe(false)
    }
  })
})

async function makeLink(client: TestClient = tenant.admin): Promise<string> {
  const answer = await client.post('/v1/session/links', {})
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.headers['cache-control']).toBe('no-store')
  return String(answer.body['url'])
}

const codeOf = (url: string): string => new URL(url).hash.slice(1)

describe('a sign-in link', () => {
  test('signs one browser in as its creator, once, with the code in the URL’s fragment', async () => {
    const url = await makeLink()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/sign-in#skc_[A-Za-z0-9_-]{43}$/)
    const answers = await Promise.all([1, 2, 3].map(() => signInWith(server, codeOf(url))))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401, 401])
    for (const answer of answers.filter(({ status }) => status === 200)) {
      expect((await whoami(cookieOf(answer))).body).toMatchObject({ account: 'ada', role: 'admin' })
    }
    expect(await signInWith(server, codeOf(url))).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('works for 5 minutes', async () => {
    const [inTime, late] = [await makeLink(), await makeLink()]
    clock.advance(5 * 60_000 - 1)
    expect((await signInWith(server, codeOf(inTime))).status).toBe(200)
    clock.advance(1)
    expect(await signInWith(server, codeOf(late))).toMatchObject({
      status: 401,
      reason: 'CREDENTIAL_INVALID',
    })
  })

  test('ends with the key that it was created with', async () => {
    const maker = await tenant.as('member', 'maker')
    const url = await makeLink(maker)
    await tenant.admin.write('token', 'member-maker', { revoked: true }, { updateMask: 'revoked' })
    expect(await signInWith(server, codeOf(url))).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('cannot be created by a session, which would then never have to end', async () => {
    const cookie = await cookieFor(server, tenant.admin)
    const answer = await server.anonymous.post(
      '/v1/session/links',
      {},
      {
        headers: { cookie, ...SAME_ORIGIN },
      },
    )
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test('is one of the ten newest of its key', async () => {
    const busy = await tenant.as('member', 'busy')
    const urls: string[] = []
    for (let count = 0; count < 11; count += 1) {
      urls.push(await makeLink(busy))
      clock.advance(1)
    }
    const [oldest = '', next = ''] = urls
    expect((await signInWith(server, codeOf(oldest))).status).toBe(401)
    expect((await signInWith(server, codeOf(next))).status).toBe(200)
  })

  test('is in the audit, and its code neither in a log nor in the database', async () => {
    const url = await makeLink()
    const { body } = await tenant.admin.get('/v1/audit')
    expect(JSON.stringify(body)).toContain('createSignInLink')
    const owner = new Client({ connectionString: server.database.ownerUrl })
    await owner.connect()
    const { rows } = await owner.query<{ text: string }>('select l::text as text from sign_in_link l')
    await owner.end()
    for (const text of [...server.logLines, ...rows.map((row) => row.text)]) {
      expect(text.includes(codeOf(url).slice(4))).toBe(false)
    }
  })
})

describe('a session', () => {
  test('ends permanently at sign-out, on every server', async () => {
    const cookie = await cookieFor(server, tenant.admin)
    const other = await startTestServer({ database: server.database, clock })
    expect((await other.anonymous.get('/v1/whoami', { headers: { cookie } })).status).toBe(200)
    const answer = await server.anonymous.delete('/v1/session', { headers: { cookie, ...SAME_ORIGIN } })
    expect(answer).toMatchObject({ status: 200, body: {} })
    expect(answer.headers['set-cookie']).toMatch(/^skein=; Path=\/; Max-Age=0; /)
    expect(await whoami(cookie)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
    expect((await other.anonymous.get('/v1/whoami', { headers: { cookie } })).status).toBe(401)
    await other.close()
  })

  test('survives the end of another one of the same key', async () => {
    const [mine, other] = [await cookieFor(server, tenant.admin), await cookieFor(server, tenant.admin)]
    await server.anonymous.delete('/v1/session', { headers: { cookie: mine, ...SAME_ORIGIN } })
    expect((await whoami(other)).status).toBe(200)
  })

  test('ends with all others of its token when it is signed out everywhere, and with no others', async () => {
    const viewer = await tenant.as('viewer', 'twice')
    const [mine, other] = [await cookieFor(server, viewer), await cookieFor(server, viewer)]
    const stranger = await cookieFor(server, tenant.admin)
    const rival = await server.createTenant('everywhere')
    const namesake = await cookieFor(server, await rival.as('viewer', 'twice'))
    const headers = { cookie: mine, ...SAME_ORIGIN }
    await server.anonymous.delete('/v1/session', { headers, query: { everywhere: 'true' } })
    expect([(await whoami(mine)).status, (await whoami(other)).status]).toEqual([401, 401])
    expect([(await whoami(stranger)).status, (await whoami(namesake)).status]).toEqual([200, 200])
  })

  test.each([
    ['revoked', { revoked: true }],
    ['rotated away', { keyVersion: 2 }],
  ])('dies when its key is %s', async (what, patch) => {
    const name = `dies-${what.replace(' ', '-')}`
    const viewer = await tenant.as('viewer', name)
    const cookie = await cookieFor(server, viewer)
    expect((await whoami(cookie)).status).toBe(200)
    await tenant.admin.write('token', `viewer-${name}`, patch, { updateMask: Object.keys(patch).join(',') })
    expect(await whoami(cookie)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('dies when the token of its key is deleted', async () => {
    const cookie = await cookieFor(server, await tenant.as('viewer', 'deleted'))
    await tenant.admin.delete('/v1/catalog/token/viewer-deleted')
    expect((await whoami(cookie)).status).toBe(401)
  })

  test('ends with its key at the latest, and after 7 days', async () => {
    const expireTime = new Date(clock.now() + DAY_MS).toISOString()
    const fields = { account: 'bob', role: 'viewer', expireTime }
    const { document } = await tenant.admin.write('token', 'short', fields)
    const short = await signInWith(server, String(document['key']))
    expect(short.body['expireTime']).toBe(expireTime)
    expect(short.headers['set-cookie']).toContain('Max-Age=86400;')
    const long = await cookieFor(server, tenant.admin)
    clock.advance(DAY_MS)
    expect((await whoami(cookieOf(short))).status).toBe(401)
    clock.advance(6 * DAY_MS - 1)
    expect((await whoami(long)).status).toBe(200)
    clock.advance(1)
    expect((await whoami(long)).status).toBe(401)
  })

  test('may do no more than its key', async () => {
    const cookie = await cookieFor(server, await tenant.as('viewer', 'reader'))
    expect(await change({ cookie, ...SAME_ORIGIN })).toMatchObject({
      status: 403,
      reason: 'PERMISSION_MISSING',
    })
  })

  test('stands back behind a key in the header, valid or not', async () => {
    const cookie = await cookieFor(server, tenant.admin)
    const viewer = await tenant.as('viewer', 'header')
    expect((await viewer.get('/v1/whoami', { headers: { cookie } })).body).toMatchObject({ role: 'viewer' })
    const wrong = await tenant.client('skn_x.y').get('/v1/whoami', { headers: { cookie } })
    expect(wrong).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('is found among other cookies, and no cookie of another name is one', async () => {
    const cookie = await cookieFor(server, tenant.admin)
    expect((await whoami(`theme=dark; ${cookie}; skein2=x`)).status).toBe(200)
    expect(await whoami(`x${cookie}`)).toMatchObject({ status: 401, reason: 'CREDENTIAL_MISSING' })
  })
})

describe('a change that comes with a cookie', () => {
  const refused = [
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.example.com' }],
    ['an origin that is hidden', { origin: 'null' }],
    ['a sender that says nothing', {}],
    ['a liar about one of the two', { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' }],
  ] as const
  test.each(refused)('is refused from %s', async (_who, headers) => {
    const cookie = await cookieFor(server, tenant.admin)
    expect(await change({ cookie, ...headers })).toMatchObject({ status: 403, reason: 'CROSS_SITE_REQUEST' })
    const answer = await server.anonymous.delete('/v1/session', { headers: { cookie, ...headers } })
    expect(answer.reason).toBe('CROSS_SITE_REQUEST')
    expect((await whoami(cookie)).status).toBe(200)
  })

  test.each([
    ['a page of the service', { 'sec-fetch-site': 'same-origin' }],
    ['an old browser on the same host', { origin: 'http://localhost:80', host: 'localhost' }],
    ['an old browser behind a proxy', { origin: 'http://127.0.0.1:8080', host: 'inner' }],
  ])('is carried out from %s', async (_who, headers) => {
    const cookie = await cookieFor(server, tenant.admin)
    expect((await change({ cookie, ...headers })).status).toBe(200)
  })

  test('needs no origin check when it has a key', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://tools.example.com' }
    expect((await tenant.admin.write('persona', 'p', {}, {}, { headers })).status).toBe(200)
  })
})

/** Before anybody is signed in, the sign-in page asks for the providers and starts with one, which is not there. A command line says that it waits. */
const OPEN: Readonly<Record<string, number>> = {
  listSignInProviders: 200,
  startSignIn: 404,
  startLogin: 200,
  exchangeToken: 400,
  readInvitation: 404,
  acceptInvitation: 404,
}

test('no operation fails on a cookie of any form', async () => {
  const operations: readonly Operation[] = OPERATIONS
  const name = fc.constantFrom('skein', '__Host-skein', '')
  const cookie = fc.tuple(name, fc.stringMatching(/^[\x20-\x7e]{0,80}$/)).map((parts) => parts.join('='))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operations), cookie, async ({ id, method, path, example }, text) => {
      const headers = { cookie: text, ...SAME_ORIGIN }
      const answer = await server.anonymous.send(method, example.path ?? path, example.request, { headers })
      expect(answer.status).toBe(OPEN[id] ?? 401)
    }),
    { numRuns: 300 },
  )
})

test('sessions that ended a month ago are deleted by the maintenance', async () => {
  const database = await createTestDatabase()
  const old = await startTestServer({ database, clock: new TestClock(Date.now() - 40 * DAY_MS) })
  const acme = await old.createTenant()
  await cookieFor(old, acme.admin)
  await old.close()
  const recent = await startTestServer({ database })
  await cookieFor(recent, acme.admin)
  await recent.close()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  const count = async () => (await owner.query('select from browser_session')).rowCount
  expect(await count()).toBe(2)
  await owner.query('select delete_ended_sessions()')
  expect(await count()).toBe(1)
  await owner.end()
})
