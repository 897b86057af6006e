import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN } from '../../browser.ts'
import { whileFinishing } from '../logins/while-finishing.ts'
import { HostileIssuer, unsigned } from './hostile-issuer.ts'
import { cookiePair, ProviderWorld } from './provider-world.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

let world: ProviderWorld
let issuer: HostileIssuer

beforeAll(async () => {
  world = await ProviderWorld.start()
  issuer = await HostileIssuer.start()
  await world.provide('sso', { issuer: issuer.issuer })
})

afterAll(async () => {
  await issuer.close()
  await world.close()
})

beforeEach(() => issuer.reset())

async function sessionOf(subject: string, sid: string): Promise<string> {
  issuer.subject = subject
  issuer.forge = (claims) => ({ ...claims, sid })
  const { url, cookie } = await world.start('sso')
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  const state = url.searchParams.get('state') ?? ''
  return cookiePair(
    must(await world.finish(`${world.callback('sso')}?code=c&state=${state}`, cookie)),
    'skein',
  )
}

const seconds = (after = 0) => Math.floor(Date.now() / 1000) + after

const claims = (fields: JWTPayload): JWTPayload => ({
  iss: issuer.issuer,
  aud: 'skein',
  iat: seconds(),
  exp: seconds(120),
  jti: 'one',
  events: { [EVENT]: {} },
  ...fields,
})

const logOut = (token: string, path = 'codehost_app:acme/sso') =>
  world.server.anonymous.post(
    `/v1/session/logout/${path}`,
    new URLSearchParams({ logout_token: token }).toString(),
    {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  )

const isOpen = async (cookie: string) => (await world.whoami(cookie)).status === 200

test('the provider ends one session, or all of a person, and nobody else’s', async () => {
  const [one, two, bob] = [
    await sessionOf('ada', 'sid-1'),
    await sessionOf('ada', 'sid-2'),
    await sessionOf('bob', 'sid-3'),
  ]
  must(await logOut(await issuer.sign(claims({ sid: 'sid-1' }), { typ: 'logout+jwt' })))
  expect([await isOpen(one), await isOpen(two), await isOpen(bob)]).toEqual([false, true, true])
  must(await logOut(await issuer.sign(claims({ sub: 'ada' }))))
  expect([await isOpen(two), await isOpen(bob)]).toEqual([false, true])
})

test('a provider is told to try again if the tenant moves to another cell, where its sessions are', async () => {
  const cookie = await sessionOf('ada', 'sid-1')
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  const setStep = (step: string | null) =>
    client.query(`update tenant set move_step = $2, move_cell = 'c2' where id = $1`, [world.tenant.id, step])
  const token = await issuer.sign(claims({ sid: 'sid-1' }), { typ: 'logout+jwt' })
  await setStep('frozen')
  expect(await logOut(token)).toMatchObject({ status: 503, reason: 'TENANT_MOVING' })
  await setStep('moved')
  expect(await logOut(token)).toMatchObject({ status: 503, reason: 'TENANT_MOVED' })
  expect((await logOut(unsigned(claims({ sid: 'sid-1' })))).reason).toBe('SIGN_IN_INVALID')
  await setStep(null)
  await client.end()
  must(await logOut(token))
  expect(await isOpen(cookie)).toBe(false)
})

const codeVerifier = 'v'.repeat(43)

/** A command line that a person confirmed. Returns its login. */
async function confirmed(cookie: string): Promise<string> {
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const { body } = must(await world.server.anonymous.post('/v1/login/start', { codeChallenge }))
  const { loginId, userCode } = body
  const headers = { ...SAME_ORIGIN, cookie }
  must(await world.server.anonymous.post('/v1/login/decide', { userCode, isAllowed: true }, { headers }))
  return String(loginId)
}

const finish = (loginId: string) => world.server.anonymous.post('/v1/login/finish', { loginId, codeVerifier })

const confirm = async (cookie: string) => must(await finish(await confirmed(cookie))).body

test('the command lines that a person confirmed end with the session they confirmed in, and with the person', async () => {
  const isRenewed = async ({ renewalKey }: Record<string, unknown>) =>
    (await world.server.anonymous.post('/v1/session/renew', { renewalKey })).status === 200
  const [one, two] = [
    await confirm(await sessionOf('emil', 'sid-5')),
    await confirm(await sessionOf('emil', 'sid-6')),
  ]
  expect(Date.parse(String(one['sessionExpireTime'])) - Date.now()).toBeLessThan(12 * 3_600_001)
  must(await logOut(await issuer.sign(claims({ sid: 'sid-5' }))))
  expect([await isRenewed(one), await isRenewed(two)]).toEqual([false, true])
  must(await logOut(await issuer.sign(claims({ sub: 'emil' }))))
  expect(await isRenewed(two)).toBe(false)
  expect((await world.tenant.client(String(two['apiKey'])).get('/v1/whoami')).status).toBe(401)
})

test.each<[string, () => Promise<unknown>]>([
  ['the provider ends the session', async () => logOut(await issuer.sign(claims({ sid: 'sid-7' })))],
  ['the provider ends what the person has', async () => logOut(await issuer.sign(claims({ sub: 'hank' })))],
  [
    'an admin changes the provider',
    () => world.provide('sso', { issuer: issuer.issuer, defaultRole: 'viewer' }),
  ],
])('a command line that gets its keys at the moment when %s is ended too', async (_what, end) => {
  const loginId = await confirmed(await sessionOf('hank', 'sid-7'))
  const { ownerUrl } = world.server.database
  const [finished] = await whileFinishing(ownerUrl, loginId, () => finish(loginId), end)
  const { apiKey } = must(finished).body
  expect((await world.tenant.client(String(apiKey)).get('/v1/whoami')).status).toBe(401)
  await world.provide('sso', { issuer: issuer.issuer })
})

/** As if all had signed in a minute ago. */
async function signedInEarlier(): Promise<void> {
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  await client.query(`update browser_session set created_at = created_at - interval '1 minute'`)
  await client.end()
}

test.each([{ sid: 'sid-20' }, { sub: 'lena' }])(
  'a command line that is confirmed before the logout %o arrives ends with the sign-in, and no other does',
  async (target) => {
    const cookie = await sessionOf('lena', 'sid-20')
    await signedInEarlier()
    const early = await issuer.sign(claims({ ...target, iat: seconds(-30) }))
    const { apiKey } = await confirm(cookie)
    must(await logOut(early))
    expect((await world.tenant.client(String(apiKey)).get('/v1/whoami')).status).toBe(401)
    const later = await confirm(await sessionOf('lena', 'sid-20'))
    must(await logOut(early))
    expect((await world.tenant.client(String(later['apiKey'])).get('/v1/whoami')).status).toBe(200)
    must(await logOut(await issuer.sign(claims(target))))
  },
)

test('a session that the provider gives to everybody ends for everybody', async () => {
  const cookies = []
  for (const subject of ['ida', 'jan', 'kim']) cookies.push(await sessionOf(subject, 'shared'))
  must(await logOut(await issuer.sign(claims({ sid: 'shared' }))))
  for (const cookie of cookies) expect(await isOpen(cookie)).toBe(false)
})

test('sent again, it ends nothing that was opened since', async () => {
  const token = await issuer.sign(claims({ sub: 'cleo', iat: seconds(-60) }))
  must(await logOut(token))
  const later = await sessionOf('cleo', 'sid-9')
  must(await logOut(token))
  expect(await isOpen(later)).toBe(true)
})

test.each<[string, () => Promise<string> | string]>([
  ['an ID token', () => issuer.sign(claims({ sub: 'dora', nonce: 'n' }))],
  ['a token without the event', () => issuer.sign(claims({ sub: 'dora', events: {} }))],
  ['a token for nobody', () => issuer.sign(claims({}))],
  ['a token for a person with NUL', () => issuer.sign(claims({ sub: 'do\u0000ra' }))],
  ['a token for a session with NUL', () => issuer.sign(claims({ sid: 'sid-4\u0000' }))],
  ['a token for half a character', () => issuer.sign(claims({ sub: 'dora\ud83d' }))],
  ['a token for no session of a person', () => issuer.sign(claims({ sub: 'dora', sid: '' }))],
  ['a token for another client', () => issuer.sign(claims({ sub: 'dora', aud: 'x' }))],
  ['a token of another issuer', () => issuer.sign(claims({ sub: 'dora', iss: 'https://x.example.com' }))],
  ['an old token', () => issuer.sign(claims({ sub: 'dora', iat: seconds(-400), exp: seconds(-200) }))],
  ['an unsigned token', () => unsigned(claims({ sub: 'dora' }))],
  ['nothing', () => ''],
])('%s ends nothing', async (_what, make) => {
  const cookie = await sessionOf('dora', 'sid-4')
  expect(await logOut(await make())).toMatchObject({ status: 401, reason: 'SIGN_IN_INVALID' })
  expect(await isOpen(cookie)).toBe(true)
})

test('an unknown tenant or provider gets the same answer, and a stranger’s token makes us ask nobody', async () => {
  const token = await issuer.sign(claims({ sub: 'dora', iss: 'https://x.example.com' }))
  issuer.reset()
  const answers = [
    await logOut(token),
    await logOut(token, 'codehost_app:nobody/sso'),
    await logOut(token, 'codehost_app:acme/nobody'),
    await logOut(token, '%00/sso'),
    await logOut(token, 'codehost_app:acme%00/sso'),
    await logOut(token, 'codehost_app:acme/%00'),
  ]
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(issuer.requests).toEqual([])
})
