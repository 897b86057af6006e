import { PAGE_SECRET, startTestServer } from '@skein/testkit'
import { SignJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN } from '../../browser.ts'
import { HostileIssuer, unsigned } from './hostile-issuer.ts'
import { cookiePair, ProviderWorld } from './provider-world.ts'

let world: ProviderWorld
let issuer: HostileIssuer
let other: HostileIssuer

beforeAll(async () => {
  world = await ProviderWorld.start()
  issuer = await HostileIssuer.start()
  other = await HostileIssuer.start()
  await world.provide('sso', { issuer: issuer.issuer })
  await world.provide('other', { issuer: other.issuer })
})

afterAll(async () => {
  await issuer.close()
  await other.close()
  await world.close()
})

beforeEach(() => {
  issuer.reset()
  other.reset()
})

/** A person went to the provider and comes back. */
async function comeBack(name = 'sso', from = issuer) {
  const { url, cookie } = await world.start(name)
  const state = url.searchParams.get('state') ?? ''
  from.nonce = url.searchParams.get('nonce') ?? ''
  const back = (fields: Readonly<Record<string, string>> = {}, path = world.callback(name)) =>
    `${path}?${new URLSearchParams({ code: 'c0de', state, ...fields })}`
  return { url, cookie, state, back }
}

async function signIn(claims: (claims: JWTPayload) => JWTPayload | string = (right) => right) {
  issuer.forge = claims
  const { cookie, back } = await comeBack()
  return world.finish(back(), cookie)
}

const EXPIRED = { status: 401, reason: 'SIGN_IN_EXPIRED' }
const INVALID = { status: 401, reason: 'SIGN_IN_INVALID' }

test('an answer that is right opens a session, with the code’s verifier and our secret', async () => {
  const answer = must(await signIn())
  expect(answer.body).toMatchObject({ identity: { account: 'subject-1@acme.example.com' } })
  expect(issuer.asked[0]?.get('code_verifier')).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(issuer.asked[0]?.get('redirect_uri')).toBe(
    'http://127.0.0.1:8080/sign-in/callback/codehost_app/acme/sso',
  )
})

test.each([
  ['paused', { paused: true }],
  ['made to admit nobody', { emailDomains: ['other.example.com'] }],
])('a provider that was %s while it was asked opens no session', async (_, change) => {
  await world.provide('slow', { issuer: issuer.issuer })
  const { cookie, back } = await comeBack('slow')
  issuer.meanwhile = () => world.provide('slow', { issuer: issuer.issuer, ...change })
  expect(await world.finish(back(), cookie)).toMatchObject(EXPIRED)
})

describe('the state', () => {
  test('works once, also for several at once, and the code is sent once', async () => {
    const { cookie, back } = await comeBack()
    const answers = await Promise.all([1, 2, 3].map(() => world.finish(back(), cookie)))
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([200, 401, 401])
    expect(await world.finish(back(), cookie)).toMatchObject(EXPIRED)
    expect(issuer.asked.length).toBe(1)
  })

  test('is not accepted twice even if the first attempt failed', async () => {
    const { cookie, back } = await comeBack()
    issuer.answer = { status: 400, body: { error: 'invalid_grant' } }
    expect(await world.finish(back(), cookie)).toMatchObject(INVALID)
    issuer.answer = undefined
    expect(await world.finish(back(), cookie)).toMatchObject(EXPIRED)
  })

  test('of somebody else is refused: a link cannot sign its visitor in as its author', async () => {
    const [attacker, victim] = [await comeBack(), await comeBack()]
    expect(await world.finish(attacker.back(), victim.cookie)).toMatchObject(EXPIRED)
    expect(await world.finish(attacker.back(), undefined)).toMatchObject(EXPIRED)
    expect(issuer.asked.length).toBe(0)
  })

  test('is bound to the page that started, not to the cookie alone', async () => {
    const { cookie, back } = await comeBack()
    const pageSecret = 'another-page-secret-0123456789-0123456789-01'
    expect(await world.finish(back(), cookie, { pageSecret })).toMatchObject(EXPIRED)
  })

  test('cannot come from a page of another site', async () => {
    const { cookie, back } = await comeBack()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(await world.finish(back(), cookie, { headers })).toMatchObject({
      status: 403,
      reason: 'CROSS_SITE_REQUEST',
    })
  })

  test.each([
    ['nothing', ''],
    ['text', 'skein-sign-in=v1.00000000.AAAA.AAAA'],
    ['a cookie of ours for something else', 'skein-sign-in=skn_c1.secret'],
  ])('is refused with %s as its cookie', async (_what, cookie) => {
    const { back } = await comeBack()
    expect(await world.finish(back(), cookie)).toMatchObject(EXPIRED)
  })

  test('is refused after ten minutes', async () => {
    const clock = { now: () => Date.now() + 601_000 }
    const { cookie, back } = await comeBack()
    const late = await startTestServer({
      database: world.server.database,
      clock,
      settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' },
    })
    const body = { returnedTo: back(), pageSecret: PAGE_SECRET }
    const headers = { ...SAME_ORIGIN, cookie }
    expect(await late.anonymous.post('/v1/session/finish', body, { headers })).toMatchObject(EXPIRED)
    await late.close()
  })
})

describe('a token', () => {
  test.each<[string, (claims: JWTPayload) => JWTPayload | string | Promise<string>]>([
    ['with another nonce', (claims) => ({ ...claims, nonce: 'replayed' })],
    ['without a nonce', ({ nonce: _nonce, ...claims }) => claims],
    ['of another issuer', (claims) => ({ ...claims, iss: other.issuer })],
    ['for another client', (claims) => ({ ...claims, aud: 'somebody-else' })],
    ['for several clients, given to another', (claims) => ({ ...claims, aud: ['skein', 'b'], azp: 'b' })],
    ['that expired', (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 61 })],
    ['without an end', ({ exp: _exp, ...claims }) => claims],
    ['of the future', (claims) => ({ ...claims, nbf: Math.floor(Date.now() / 1000) + 600 })],
    ['without a subject', ({ sub: _sub, ...claims }) => claims],
    ['with a subject with NUL', (claims) => ({ ...claims, sub: 'subject\u0000' })],
    ['with half a character as subject', (claims) => ({ ...claims, sub: 'subject\ud83d' })],
    ['with an endless subject', (claims) => ({ ...claims, sub: 'x'.repeat(256) })],
    ['without a signature', (claims) => unsigned(claims)],
    ['that is no token', () => 'no.token.atall'],
  ])('%s is refused', async (_what, forge) => {
    const answer = await signIn(forge as (claims: JWTPayload) => JWTPayload | string)
    expect(answer).toMatchObject(INVALID)
    expect(cookiePair(answer, 'skein')).toBe('')
  })

  test('signed with the client’s secret is refused: everybody’s keys are public or it proves nothing', async () => {
    const now = Math.floor(Date.now() / 1000)
    const { cookie, back } = await comeBack()
    const forged = await new SignJWT({ nonce: issuer.nonce, email: 'a@b.example', email_verified: true })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer.issuer)
      .setAudience('skein')
      .setSubject('root')
      .setIssuedAt(now)
      .setExpirationTime(now + 60)
      .sign(new TextEncoder().encode('s3cret'))
    issuer.forge = () => forged
    issuer.describe = (metadata) => ({
      ...metadata,
      id_token_signing_alg_values_supported: ['HS256', 'RS256'],
    })
    expect(await world.finish(back(), cookie)).toMatchObject(INVALID)
  })

  test('signed with a key that the issuer does not publish is refused', async () => {
    const { cookie, back } = await comeBack()
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer.issuer,
      aud: 'skein',
      sub: 'root',
      nonce: issuer.nonce,
      iat: now,
      exp: now + 60,
    }
    const forged = await other.sign({ ...claims, email: 'a@b.example', email_verified: true })
    issuer.forge = () => forged
    expect(await world.finish(back(), cookie)).toMatchObject(INVALID)
  })

  test('signed with a key that was rotated in a moment ago is accepted', async () => {
    must(await signIn())
    await issuer.rotate('second')
    expect((await signIn()).status).toBe(200)
  })
})

test('a session of the provider whose name cannot be stored is none of ours', async () => {
  expect((await signIn((claims) => ({ ...claims, sid: 'sid\u0000' }))).status).toBe(200)
})

test('a person never gets the account of a program, which gets its own', async () => {
  const program = {
    issuer: issuer.issuer,
    audience: 'https://skein.example.com',
    conditions: [{ claim: 'sub', value: 'job' }],
    account: 'robot@acme.example.com',
    ownerProvider: 'PROVIDER_IDP_OIDC',
    role: 'member',
  }
  must(await world.tenant.admin.write('workload-identity', 'robot', program))
  issuer.subject = 'robot'
  expect(must(await signIn()).body).toMatchObject({ identity: { account: 'robot@acme.example.com-2' } })
})

describe('two providers', () => {
  test('cannot be mixed up: an answer of one is refused at the path of the other', async () => {
    const { cookie, back } = await comeBack()
    expect(await world.finish(back({}, world.callback('other')), cookie)).toMatchObject(EXPIRED)
    expect([issuer.asked.length, other.asked.length]).toEqual([0, 0])
  })

  test('cannot be mixed up: an answer that names another issuer is refused before the code is sent', async () => {
    issuer.describe = (metadata) => ({ ...metadata, authorization_response_iss_parameter_supported: true })
    const { cookie, back } = await comeBack()
    expect(await world.finish(back({ iss: other.issuer }), cookie)).toMatchObject(INVALID)
    const second = await comeBack()
    expect(await world.finish(second.back(), second.cookie)).toMatchObject(INVALID)
    expect(issuer.asked.length).toBe(0)
    const third = await comeBack()
    must(await world.finish(third.back({ iss: issuer.issuer }), third.cookie))
  })

  test('of two tenants cannot be mixed up: a sign-in of one opens nothing in the other', async () => {
    const second = await world.server.createTenant('umbrella')
    await world.provide('sso', { issuer: other.issuer }, second)
    const { cookie, back } = await comeBack()
    expect(await world.finish(back({}, world.callback('sso', second)), cookie)).toMatchObject(EXPIRED)
    // The other tenant's provider vouches for a person of the first tenant's: it is another person.
    other.subject = 'subject-1'
    const { url, cookie: theirs } = await world.start('sso', second)
    other.nonce = url.searchParams.get('nonce') ?? ''
    const state = url.searchParams.get('state') ?? ''
    const answer = must(await world.finish(`${world.callback('sso', second)}?code=c&state=${state}`, theirs))
    expect(answer.body).toMatchObject({ identity: { tenant: { org: 'umbrella' } } })
    const session = cookiePair(answer, 'skein')
    expect((await world.whoami(session)).body).toMatchObject({ tenant: { org: 'umbrella' } })
    const read = await world.server.anonymous.get('/v1/catalog/identity-provider/other', {
      headers: { cookie: session, ...SAME_ORIGIN },
      query: world.tenant.query,
    })
    expect(read.status).toBe(404)
  })

  test('with another issuer, a subject of the same name is another person', async () => {
    await world.provide('moved', { issuer: issuer.issuer })
    const first = await comeBack('moved')
    const before = must(await world.finish(first.back(), first.cookie)).body['identity']
    await world.provide('moved', { issuer: other.issuer })
    const second = await comeBack('moved', other)
    const after = must(await world.finish(second.back(), second.cookie)).body['identity']
    expect((after as { account: string }).account).not.toBe((before as { account: string }).account)
  })

  test('a sign-in that was under way when the issuer changed is refused', async () => {
    await world.provide('moving', { issuer: issuer.issuer })
    const { cookie, back } = await comeBack('moving')
    await world.provide('moving', { issuer: other.issuer })
    expect(await world.finish(back(), cookie)).toMatchObject(EXPIRED)
  })
})

describe('a provider', () => {
  test('that refuses is quoted, on one line', async () => {
    const { cookie, back } = await comeBack()
    const answer = await world.finish(back({ error: 'access_denied', error_description: 'x\ny' }), cookie)
    expect(answer).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    expect(answer.body['message']).toBe('The identity provider refused: access_denied.')
  })

  test.each([
    ['fails', { status: 503, body: {} }, 503, 'IDENTITY_PROVIDER_UNAVAILABLE'],
    ['does not know the code', { status: 400, body: { error: 'invalid_grant' } }, 401, 'SIGN_IN_INVALID'],
    ['does not know us', { status: 401, body: { error: 'invalid_client' } }, 401, 'SIGN_IN_INVALID'],
    ['answers nonsense', { status: 200, body: [] }, 401, 'SIGN_IN_INVALID'],
    [
      'answers without an ID token',
      { status: 200, body: { access_token: 'a', token_type: 'Bearer' } },
      401,
      'SIGN_IN_INVALID',
    ],
  ])('that %s is an error with a reason', async (_what, answer, status, reason) => {
    const { cookie, back } = await comeBack()
    issuer.answer = answer
    expect(await world.finish(back(), cookie)).toMatchObject({ status, reason })
  })

  test.each([
    ['another issuer', { issuer: 'https://login.example.com' }],
    ['a script as its sign-in page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['something else as its sign-in page', { authorization_endpoint: 'ftp://127.0.0.1/' }],
    ['no sign-in page', { authorization_endpoint: undefined }],
  ])('that describes itself with %s is not used', async (what, fields) => {
    const fresh = await HostileIssuer.start()
    fresh.describe = (metadata) => ({ ...metadata, ...fields })
    await world.provide('liar', { issuer: fresh.issuer, description: what })
    expect(await world.tryStart('liar')).toMatchObject({
      status: 503,
      reason: 'IDENTITY_PROVIDER_UNAVAILABLE',
    })
    await fresh.close()
  })

  test('inside our network is not contacted unless the operator allows it', async () => {
    const closed = await ProviderWorld.start({ SKEIN_OUTBOUND_ALLOW: '' })
    await closed.provide('sso', { issuer: issuer.issuer })
    expect(await closed.tryStart('sso')).toMatchObject({
      status: 503,
      reason: 'IDENTITY_PROVIDER_UNAVAILABLE',
    })
    expect(issuer.requests).toEqual([])
    await closed.close()
  })

  test.each([
    ['http://sso.example.com', 'issuer'],
    ['https://user:pass@sso.example.com', 'issuer'],
  ])('cannot have the issuer %s', async (url, field) => {
    const answer = await world.tenant.admin.write('identity-provider', 'bad', {
      title: 'Bad',
      issuer: url,
      clientId: 'skein',
      clientSecret: 'client-secret',
    })
    expect(answer).toMatchObject({ status: 400, fields: [field] })
  })

  test('cannot make anybody an operator, and only admins write one', async () => {
    const document = {
      title: 'Bad',
      issuer: issuer.issuer,
      clientId: 'skein',
      clientSecret: 'client-secret',
      roles: [{ claim: 'groups', value: 'x', role: 'operator' }],
    }
    expect(await world.tenant.admin.write('identity-provider', 'bad', document)).toMatchObject({
      status: 400,
    })
    const member = await world.tenant.as('member')
    const answer = await member.write('identity-provider', 'bad', { ...document, roles: [] })
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test('of another tenant, or none, gives the same answer', async () => {
    const second = await world.server.createTenant('initech')
    const [hidden, missing] = [
      await world.tryStart('sso', second),
      await world.tryStart('sso', {
        tenant: { provider: 'PROVIDER_IDP_OIDC', org: 'nobody' },
      } as typeof second),
    ]
    expect(hidden.text).toBe(missing.text)
    expect(hidden).toMatchObject({ status: 404, reason: 'IDENTITY_PROVIDER_NOT_FOUND' })
  })
})

test('the session is a new one, whatever cookie the browser had before', async () => {
  const { cookie, back } = await comeBack()
  const planted = `skein=${'A'.repeat(43)}`
  const answer = must(await world.finish(back(), `${planted}; ${cookie}`))
  expect(cookiePair(answer, 'skein')).not.toBe(planted)
  expect((await world.whoami(planted)).status).toBe(401)
  expect(answer.headers['set-cookie']).toContain('skein-sign-in=; Path=/; Max-Age=0')
})

test.each([
  'https://evil.example.com/sign-in/callback/',
  '//evil.example.com',
  '/elsewhere',
  '/sign-in/callback/../..',
])('a page cannot say that it was sent to %s', async (path) => {
  const { cookie, back } = await comeBack()
  const answer = await world.finish(back({}, path), cookie)
  expect([400, 401]).toContain(answer.status)
  expect(issuer.asked.length).toBe(0)
})

test('attempts are limited by address', async () => {
  const strict = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '12' })
  await strict.provide('sso', { issuer: issuer.issuer })
  const answers = []
  for (let attempt = 0; attempt < 4; attempt++)
    answers.push(await strict.finish(`${strict.callback('sso')}?state=guess`, 'skein-sign-in=x'))
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 429, 429])
  await strict.close()
})
