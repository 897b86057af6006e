import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { cookieFor, SAME_ORIGIN } from '../../browser.ts'
import { keysOf, LoginWorld, redirectOf } from './login-world.ts'
import { whileFinishing } from './while-finishing.ts'

const EXPIRED = { status: 401, reason: 'LOGIN_EXPIRED' }
const NOT_FOUND = { status: 404, reason: 'LOGIN_NOT_FOUND' }
const INVALID = { status: 401, reason: 'CREDENTIAL_INVALID' }
const HOUR_MS = 3_600_000

let world: LoginWorld

beforeAll(async () => {
  world = await LoginWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
})

afterAll(() => world.close())

describe('through the browser', () => {
  test('the person sees who asks, confirms, and the code that the browser brings gives keys of the same person', async () => {
    const { loginId } = await world.start({ port: 5000, hostName: 'ada-laptop' })
    const shown = must(await world.asPage('/v1/login/find', { loginId }))
    expect(shown.body).toMatchObject({
      way: 'browser',
      hostName: 'ada-laptop',
      address: '127.0.0.1',
      isSameAddress: true,
    })
    const redirect = redirectOf(must(await world.decide({ loginId })))
    expect(redirect.origin).toBe('http://127.0.0.1:5000')
    expect(redirect.searchParams.get('login')).toBe(loginId)
    const answer = must(await world.finish(loginId, { code: redirect.searchParams.get('code') }))
    const { apiKey } = keysOf(answer)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await world.whoami(apiKey)).body).toMatchObject({ account: 'ada', role: 'admin', token: 'admin' })
    must(await world.tenant.client(apiKey).write('persona', 'from-the-terminal', {}))
    const { body } = await world.tenant.client(apiKey).get('/v1/sessions')
    expect(body['sessions']).toContainEqual(
      expect.objectContaining({ kind: 'command-line', userAgent: 'ada-laptop', isCurrent: true }),
    )
  })

  test('a wrong verifier is refused, and does not spoil the right one', async () => {
    const { loginId } = await world.start({ port: 5000 })
    const code = redirectOf(must(await world.decide({ loginId }))).searchParams.get('code')
    expect(await world.finish(loginId, { code, codeVerifier: 'x'.repeat(43) })).toMatchObject(EXPIRED)
    must(await world.finish(loginId, { code }))
  })

  test('a code works once, also for several at once', async () => {
    const { loginId } = await world.start({ port: 5000 })
    const code = redirectOf(must(await world.decide({ loginId }))).searchParams.get('code')
    const answers = await Promise.all([1, 2, 3].map(() => world.finish(loginId, { code })))
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 401, 401])
    expect(await world.finish(loginId, { code })).toMatchObject(EXPIRED)
  })

  test('no code, a wrong one and one of another login are refused', async () => {
    const other = await world.server.createTenant('other')
    const theirs = await cookieFor(world.server, other.admin)
    const [mine, foreign] = [await world.start({ port: 5000 }), await world.start({ port: 5000 })]
    must(await world.decide({ loginId: mine.loginId }))
    const code = redirectOf(
      must(await world.decide({ loginId: foreign.loginId }, true, theirs)),
    ).searchParams.get('code')
    expect(await world.finish(mine.loginId)).toMatchObject(EXPIRED)
    expect(await world.finish(mine.loginId, { code: 'guessed' })).toMatchObject(EXPIRED)
    expect(await world.finish(mine.loginId, { code })).toMatchObject(EXPIRED)
    expect(await world.decide({ loginId: foreign.loginId })).toMatchObject(NOT_FOUND)
  })

  test.each([
    ['another host', { redirectUri: 'https://evil.example.com/' }],
    ['a host in the port', { port: '5000@evil.example.com' }],
    ['a port of the system', { port: 80 }],
    ['no port', { port: 0 }],
    ['a name with markup', { hostName: '<b>bank</b>' }],
  ])('%s is not accepted: codes go to the machine of the browser', async (_what, fields) => {
    expect(await world.tryStart(fields)).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
  })
})

describe('with a code that the person types', () => {
  test('the command line waits until it is confirmed; the code may be typed in small letters', async () => {
    const { loginId, userCode } = await world.start({ hostName: 'build-box' })
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(await world.finish(loginId)).toMatchObject({ status: 400, reason: 'LOGIN_PENDING' })
    const typed = ` ${userCode.toLowerCase().replace('-', ' ')} `
    expect((await world.asPage('/v1/login/find', { userCode: typed })).body).toMatchObject({
      way: 'code',
      loginId,
    })
    expect(must(await world.decide({ userCode: typed })).body).toEqual({ redirectUrl: '' })
    world.clock.advance(5_000)
    expect((await world.whoami(keysOf(must(await world.finish(loginId))).apiKey)).status).toBe(200)
  })

  test('a link alone leads nowhere: only the code finds it', async () => {
    const { loginId } = await world.start()
    expect(await world.asPage('/v1/login/find', { loginId })).toMatchObject(NOT_FOUND)
    expect(await world.decide({ loginId })).toMatchObject(NOT_FOUND)
  })

  test('asking too often is slowed down, and each time makes the interval longer', async () => {
    const { loginId } = await world.start()
    expect(await world.finish(loginId)).toMatchObject({ reason: 'LOGIN_PENDING' })
    const early = await world.finish(loginId)
    expect(early).toMatchObject({ status: 429, reason: 'RATE_LIMITED' })
    expect(early.text).toContain('"retryDelay":"10s"')
    world.clock.advance(5_000)
    expect(await world.finish(loginId)).toMatchObject({ reason: 'RATE_LIMITED' })
    world.clock.advance(15_000)
    expect(await world.finish(loginId)).toMatchObject({ reason: 'LOGIN_PENDING' })
  })

  test('is confirmed once, and what was refused stays refused', async () => {
    const [one, two] = [await world.start(), await world.start()]
    const both = await Promise.all([
      world.decide({ userCode: one.userCode }),
      world.decide({ userCode: one.userCode }),
    ])
    expect(both.map(({ status }) => status).toSorted((first, second) => first - second)).toEqual([200, 404])
    must(await world.decide({ userCode: two.userCode }, false))
    const third = await world.start({ port: 5000 })
    const refused = redirectOf(must(await world.decide({ loginId: third.loginId }, false)))
    expect([...refused.searchParams.keys()]).toEqual(['login', 'error'])
    expect(await world.decide({ userCode: two.userCode })).toMatchObject(NOT_FOUND)
    expect(await world.finish(two.loginId)).toMatchObject({ status: 403, reason: 'LOGIN_REFUSED' })
  })

  test('is not found after ten minutes, and what was confirmed in time must be fetched in time', async () => {
    const [late, confirmed] = [await world.start(), await world.start()]
    must(await world.decide({ userCode: confirmed.userCode }))
    world.clock.advance(600_000)
    expect(await world.decide({ userCode: late.userCode })).toMatchObject(NOT_FOUND)
    expect(await world.finish(late.loginId)).toMatchObject(EXPIRED)
    expect(await world.finish(confirmed.loginId)).toMatchObject(EXPIRED)
  })

  test('guessing is stopped for the account and the address', async () => {
    const strict = await LoginWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '30' })
    const guesses = []
    for (let guess = 0; guess < 8; guess++) {
      guesses.push(await strict.asPage('/v1/login/find', { userCode: 'BBBB-BBBB' }))
    }
    const reasons = guesses.map(({ reason }) => reason)
    expect(reasons[0]).toBe('LOGIN_NOT_FOUND')
    expect(reasons.at(-1)).toBe('RATE_LIMITED')
    expect(reasons.filter((reason) => reason === 'LOGIN_NOT_FOUND').length).toBeLessThan(6)
    await strict.close()
  })

  test('one address cannot fill the service with logins that wait', async () => {
    const strict = await LoginWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
    for (let count = 0; count < 20; count++) await strict.start()
    expect(await strict.tryStart()).toMatchObject({ status: 429, reason: 'RATE_LIMITED' })
    strict.clock.advance(600_000)
    await strict.start()
    await strict.close()
  })
})

test.each<[string, string, Record<string, string>, boolean]>([
  ['a trusted proxy names', '127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, true],
  ['a proxy that is not trusted hides', '', { 'x-forwarded-for': '203.0.113.7' }, false],
  [
    'a proxy before the trusted one hides',
    '127.0.0.1',
    { 'x-forwarded-for': '10.0.0.9, 203.0.113.7' },
    false,
  ],
  ['a proxy with another header hides', '', { forwarded: 'for=203.0.113.7' }, false],
])('the address that %s is not always the browser’s', async (_what, trusted, headers, isSameAddress) => {
  const behind = await LoginWorld.start({ SKEIN_TRUSTED_PROXIES: trusted })
  const body = { codeChallenge: 'c'.repeat(43) }
  const { userCode } = must(await behind.server.anonymous.post('/v1/login/start', body, { headers })).body
  const shown = must(await behind.asPage('/v1/login/find', { userCode }, behind.cookie, headers))
  expect(shown.body).toMatchObject({ isSameAddress })
  await behind.close()
})

test('one IPv6 network cannot fill the service, however many addresses it has', async () => {
  const strict = await LoginWorld.start({
    SKEIN_SIGN_INS_PER_MINUTE: '0',
    SKEIN_TRUSTED_PROXIES: '127.0.0.1',
  })
  const startFrom = (address: string) =>
    strict.server.anonymous.post(
      '/v1/login/start',
      { codeChallenge: 'c'.repeat(43) },
      { headers: { 'x-forwarded-for': address } },
    )
  for (let subnet = 0; subnet < 200; subnet++) must(await startFrom(`2001:db8:1:${subnet.toString(16)}::1`))
  expect(await startFrom('2001:db8:1:ffff::1')).toMatchObject({ status: 429, reason: 'RATE_LIMITED' })
  must(await startFrom('2001:db8:2::1'))
  must(await startFrom('203.0.113.1'))
  await strict.close()
})

describe('confirming needs a person in our own page', () => {
  test('a key is not enough, nor is a command line', async () => {
    const { userCode } = await world.start()
    const { apiKey } = await world.signIn()
    for (const client of [world.tenant.admin, world.tenant.client(apiKey)]) {
      const answer = await client.post('/v1/login/decide', { userCode, isAllowed: true })
      expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    }
    const anonymous = await world.server.anonymous.post('/v1/login/decide', { userCode, isAllowed: true })
    expect(anonymous).toMatchObject({ status: 401, reason: 'CREDENTIAL_MISSING' })
  })

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of the same host', { 'sec-fetch-site': 'same-site' }],
  ])('a page of %s cannot confirm for its visitor', async (_who, headers) => {
    const { loginId } = await world.start({ port: 5000 })
    expect(
      await world.asPage('/v1/login/decide', { loginId, isAllowed: true }, world.cookie, headers),
    ).toMatchObject({ status: 403, reason: 'CROSS_SITE_REQUEST' })
  })
})

describe('the keys', () => {
  test('are valid for an hour, are renewed, and end with the session', async () => {
    const { apiKey, renewalKey } = await world.signIn()
    world.clock.advance(HOUR_MS + 1)
    expect(await world.whoami(apiKey)).toMatchObject(INVALID)
    const next = keysOf(must(await world.renew(renewalKey)))
    expect((await world.whoami(next.apiKey)).status).toBe(200)
    world.clock.advance(7 * 24 * HOUR_MS)
    expect(await world.renew(next.renewalKey)).toMatchObject(INVALID)
  })

  test('of two programs that renew at once are both good, and go on', async () => {
    const { renewalKey } = await world.signIn(await cookieFor(world.server, world.tenant.admin))
    const [one, two] = (await Promise.all([world.renew(renewalKey), world.renew(renewalKey)])).map((answer) =>
      keysOf(must(answer)),
    )
    expect((await world.whoami(one?.apiKey ?? '')).status).toBe(200)
    expect((await world.whoami(two?.apiKey ?? '')).status).toBe(200)
    world.clock.advance(HOUR_MS)
    const [third, fourth] = await Promise.all([
      world.renew(one?.renewalKey ?? ''),
      world.renew(two?.renewalKey ?? ''),
    ])
    expect([third.status, fourth.status]).toEqual([200, 200])
  })

  test('end, all of them, when a renewal key is used that was replaced before', async () => {
    const { renewalKey } = await world.signIn(await cookieFor(world.server, world.tenant.admin))
    const next = keysOf(must(await world.renew(renewalKey)))
    world.clock.advance(61_000)
    expect(await world.renew(renewalKey)).toMatchObject(INVALID)
    expect(await world.renew(next.renewalKey)).toMatchObject(INVALID)
    expect(await world.whoami(next.apiKey)).toMatchObject(INVALID)
    const { text } = await world.tenant.admin.get('/v1/audit?operation=refuseRenewal')
    expect(text).toContain('"account":"ada"')
  })

  test('are refused after signing out, at once', async () => {
    const { apiKey, renewalKey } = await world.signIn(await cookieFor(world.server, world.tenant.admin))
    must(await world.whoami(apiKey))
    must(await world.tenant.client(apiKey).delete('/v1/session'))
    expect(await world.renew(renewalKey)).toMatchObject(INVALID)
    expect(await world.whoami(apiKey)).toMatchObject(INVALID)
  })

  test('end with the token of the person who confirmed', async () => {
    const leaver = await world.tenant.as('member', 'leaver')
    const cookie = await cookieFor(world.server, leaver)
    const { renewalKey } = await world.signIn(cookie)
    const waiting = await world.start()
    must(await world.decide({ userCode: waiting.userCode }, true, cookie))
    must(
      await world.tenant.admin.write('token', 'member-leaver', { revoked: true }, { updateMask: 'revoked' }),
    )
    expect(await world.renew(renewalKey)).toMatchObject(INVALID)
    expect(await world.finish(waiting.loginId)).toMatchObject(EXPIRED)
  })

  test('end when the person signs out everywhere in a browser', async () => {
    const cookie = await cookieFor(world.server, await world.tenant.as('member', 'elsewhere'))
    const { renewalKey } = await world.signIn(cookie)
    must(
      await world.server.anonymous.delete('/v1/session?everywhere=true', {
        headers: { ...SAME_ORIGIN, cookie },
      }),
    )
    expect(await world.renew(renewalKey)).toMatchObject(INVALID)
  })

  test.each(['', '?everywhere=true'])(
    'are not given once the person has signed out (%j) where they confirmed',
    async (query) => {
      const client = await world.tenant.as('member', `gone${query.length}`)
      const [cookie, another] = [await cookieFor(world.server, client), await cookieFor(world.server, client)]
      const signOut = (of: string, how: string) =>
        world.server.anonymous.delete(`/v1/session${how}`, { headers: { ...SAME_ORIGIN, cookie: of } })
      const [typed, waiting, kept] = [
        await world.start(),
        await world.start({ port: 5000 }),
        await world.start(),
      ]
      must(await world.decide({ userCode: typed.userCode }, true, cookie))
      const redirect = redirectOf(must(await world.decide({ loginId: waiting.loginId }, true, cookie)))
      must(await world.decide({ userCode: kept.userCode }, true, another))
      must(await signOut(cookie, query))
      expect(await world.finish(typed.loginId)).toMatchObject(EXPIRED)
      const code = redirect.searchParams.get('code')
      expect(await world.finish(waiting.loginId, { code })).toMatchObject(EXPIRED)
      expect((await world.finish(kept.loginId)).status).toBe(query === '' ? 200 : 401)
    },
  )

  test('end when the person signs out everywhere at the very moment they are given', async () => {
    const cookie = await cookieFor(world.server, await world.tenant.as('member', 'in-a-hurry'))
    const { loginId, userCode } = await world.start()
    must(await world.decide({ userCode }, true, cookie))
    const [finished, signedOut] = await whileFinishing(
      world.server.database.ownerUrl,
      loginId,
      () => world.finish(loginId),
      () =>
        world.server.anonymous.delete('/v1/session?everywhere=true', {
          headers: { ...SAME_ORIGIN, cookie },
        }),
    )
    must(signedOut)
    expect(await world.whoami(keysOf(must(finished)).apiKey)).toMatchObject(INVALID)
  })

  test('are not given once the session in which the person confirmed has expired', async () => {
    const cookie = await cookieFor(world.server, world.tenant.admin)
    world.clock.advance(7 * 24 * HOUR_MS - 60_000)
    const { loginId, userCode } = await world.start()
    must(await world.decide({ userCode }, true, cookie))
    world.clock.advance(60_000)
    expect(await world.finish(loginId)).toMatchObject(EXPIRED)
  })

  test.each(['', 'sku_', 'sku_v1.x.y.z', 'skt_v1.x.y.z', 'skn_a.b'])(
    '%j renews nothing',
    async (renewalKey) => {
      expect([400, 401]).toContain((await world.renew(renewalKey)).status)
    },
  )

  test('are not taken for each other, nor for a way to a browser session', async () => {
    const { apiKey, renewalKey } = await world.signIn(await cookieFor(world.server, world.tenant.admin))
    expect(await world.renew(apiKey)).toMatchObject(INVALID)
    expect(await world.whoami(renewalKey)).toMatchObject(INVALID)
    expect(await world.whoami(renewalKey.replace('sku_', 'skt_'))).toMatchObject(INVALID)
    expect(await world.tenant.client(apiKey).post('/v1/session/links', {})).toMatchObject({ status: 403 })
  })
})
