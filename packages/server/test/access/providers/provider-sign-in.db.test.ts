import { TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN, signInWith } from '../../browser.ts'
import { startCertifiedIssuer, type CertifiedIssuer } from './certified-issuer.ts'
import { cookiePair, ProviderWorld, PUBLIC_URL } from './provider-world.ts'
import { visitIssuer } from './visit-issuer.ts'

let world: ProviderWorld
let issuer: CertifiedIssuer

beforeAll(async () => {
  world = await ProviderWorld.start()
  const redirect = (name: string) => PUBLIC_URL + world.callback(name)
  issuer = await startCertifiedIssuer(
    {
      'sub-ada': { email: 'Ada@acme.example.com', email_verified: true, groups: ['staff', 'skein-admins'] },
      'sub-bob': { email: 'bob@acme.example.com', email_verified: true, groups: ['staff'] },
      'sub-eve': { email: 'eve@evil.example.com', email_verified: true, groups: ['skein-admins'] },
      'sub-una': { email: 'una@acme.example.com', email_verified: false, groups: ['staff'] },
      'sub-bob-2': { email: 'bob@acme.example.com', email_verified: true, groups: ['staff'] },
    },
    [{ client_id: 'skein', client_secret: 's3cret', redirect_uris: ['sso', 'other', 'again'].map(redirect) }],
  )
  await world.provide('sso', document())
})

afterAll(async () => {
  await issuer.close()
  await world.close()
})

const document = (fields: Readonly<Record<string, unknown>> = {}) => ({
  issuer: issuer.issuer,
  scopes: ['email', 'groups'],
  emailDomains: ['acme.example.com'],
  roles: [{ claim: 'groups', value: 'skein-admins', role: 'admin' }],
  defaultRole: 'viewer',
  ...fields,
})

async function signIn(hint: string, name = 'sso') {
  const { url, cookie } = await world.start(name)
  return world.finish(await visitIssuer(url, hint), cookie)
}

async function sessionOf(hint: string, name = 'sso'): Promise<string> {
  return cookiePair(must(await signIn(hint, name)), 'skein')
}

const rule = (value: string, team: string, role: string) => ({ claim: 'groups', value, team, role })

describe('teams by claims', () => {
  test('a group makes its people members of a team until their next sign-in, in sessions and on command lines only', async () => {
    const { admin } = world.tenant
    for (const team of ['payments', 'website']) must(await admin.write('team', team, {}))
    must(await admin.write('workspace', 'billing', { team: 'payments' }))
    must(await admin.write('workspace', 'site', { team: 'website' }))
    const teams = [rule('payers', 'payments', 'member'), rule('staff', 'payments', 'viewer')]
    await world.provide('sso', document({ teams, defaultRole: 'member' }))
    const seenWith = async (cookie: string, name: string) =>
      (await world.server.anonymous.read('workspace', name, { headers: { cookie } })).status
    const permissionsWith = async (cookie: string) =>
      (await world.server.anonymous.get('/v1/permissions', { headers: { cookie } })).body['workspaces']

    issuer.users['sub-bob'] = { ...issuer.users['sub-bob'], groups: ['payers', 'staff'] }
    const before = await sessionOf('sub-bob')
    expect([await seenWith(before, 'billing'), await seenWith(before, 'site')]).toEqual([200, 404])
    // Of two roles in a team, the one that allows more counts.
    expect(JSON.stringify(await permissionsWith(before))).toContain('agent.drive')
    const script = must(
      await admin.write('token', 'bobs-script', {
        account: 'bob@acme.example.com',
        ownerProvider: 'PROVIDER_IDP_OIDC',
        role: 'member',
      }),
    )
    const client = world.tenant.client(String(script.document['key']))
    expect((await client.read('workspace', 'billing')).status).toBe(404)

    issuer.users['sub-bob'] = { ...issuer.users['sub-bob'], groups: ['staff'] }
    const viewing = await sessionOf('sub-bob')
    expect(await seenWith(viewing, 'billing')).toBe(200)
    expect(JSON.stringify(await permissionsWith(viewing))).not.toContain('agent.drive')

    issuer.users['sub-bob'] = { ...issuer.users['sub-bob'], groups: [] }
    const after = await sessionOf('sub-bob')
    expect([await seenWith(after, 'billing'), await seenWith(before, 'billing')]).toEqual([404, 404])
    issuer.users['sub-bob'] = { ...issuer.users['sub-bob'], groups: ['staff'] }

    expect((await admin.delete('/v1/catalog/team/payments')).status).toBe(400)
    const unknown = document({ teams: [rule('staff', 'nobody', 'member')] })
    const answer = await admin.write('identity-provider', 'sso', {
      title: 'A',
      clientId: 'skein',
      clientSecret: 'client-secret',
      ...unknown,
    })
    expect(answer).toMatchObject({ status: 400, fields: ['teams[0].team'] })
    await world.provide('sso', document())
  })
})

describe('signing in with an identity provider', () => {
  test('opens a session as the person, with the role of their groups, in the cookie that keys use', async () => {
    const answer = must(await signIn('sub-ada'))
    expect(answer.body).toMatchObject({
      identity: {
        tenant: world.tenant.tenant,
        ownerProvider: 'PROVIDER_IDP_OIDC',
        account: 'ada@acme.example.com',
        role: 'admin',
        token: 'identity-provider/sso',
      },
    })
    expect(answer.headers['set-cookie']).toMatch(
      /skein=c1\.[A-Za-z0-9_-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict/,
    )
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await world.whoami(cookiePair(answer, 'skein'))).body).toEqual(answer.body['identity'])
    expect((await world.whoami(await sessionOf('sub-bob'))).body).toMatchObject({ role: 'viewer' })
  })

  test('asks for a code with PKCE, a state and a nonce, and sends the browser back to the provider’s own path', async () => {
    const { url } = await world.start('sso')
    expect(url.origin).toBe(issuer.issuer)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'skein',
      scope: 'openid email groups',
      redirect_uri: `${PUBLIC_URL}/sign-in/callback/codehost_app/acme/sso`,
      code_challenge_method: 'S256',
    })
    const secrets = ['state', 'nonce', 'code_challenge'].map((name) => url.searchParams.get(name) ?? '')
    expect(secrets.map((secret) => secret.length)).toEqual([43, 43, 43])
    const again = await world.start('sso')
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(secrets).not.toContain(again.url.searchParams.get(name))
  })

  test('recognises a person by the subject, not by the address', async () => {
    const first = await world.whoami(await sessionOf('sub-bob'))
    issuer.users['sub-bob'] = { ...issuer.users['sub-bob'], email: 'robert@acme.example.com' }
    const later = await world.whoami(await sessionOf('sub-bob'))
    expect(later.body['account']).toBe(first.body['account'])
    const namesake = await world.whoami(await sessionOf('sub-bob-2'))
    expect(namesake.body['account']).toBe('bob@acme.example.com-2')
  })

  test('the same person of two providers has two accounts', async () => {
    await world.provide('other', document())
    const [one, two] = [
      await world.whoami(await sessionOf('sub-ada')),
      await world.whoami(await sessionOf('sub-ada', 'other')),
    ]
    expect([one.body['account'], two.body['account']]).toEqual([
      'ada@acme.example.com',
      'ada@acme.example.com-2',
    ])
  })

  test('a role that was taken away at the provider is gone at the next sign-in, in every browser', async () => {
    const before = await sessionOf('sub-ada')
    const { groups } = issuer.users['sub-ada'] ?? {}
    issuer.users['sub-ada'] = { ...issuer.users['sub-ada'], groups: ['staff'] }
    await sessionOf('sub-ada')
    expect((await world.whoami(before)).body).toMatchObject({ role: 'viewer' })
    issuer.users['sub-ada'] = { ...issuer.users['sub-ada'], groups }
  })

  test.each([
    ['sub-eve', 'another domain'],
    ['sub-una', 'an address that is not verified'],
  ])('refuses %s with %s, says so, and records it', async (hint) => {
    const answer = await signIn(hint)
    expect(answer).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    expect(String(answer.body['message'])).toContain('verified e-mail address')
    expect(cookiePair(answer, 'skein')).toBe('')
    // Written soon after, not with the answer.
    await expect
      .poll(async () => (await world.tenant.admin.get('/v1/audit?operation=refuseSignIn')).body['entries'])
      .toContainEqual(expect.objectContaining({ kind: 'identity-provider', name: 'sso' }))
  })

  test('refuses everybody to whom no role applies', async () => {
    await world.provide('again', document({ defaultRole: 'none' }))
    expect(await signIn('sub-bob', 'again')).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    expect((await world.whoami(await sessionOf('sub-ada', 'again'))).body).toMatchObject({ role: 'admin' })
  })

  test('is audited, and leaves no secret in the logs', async () => {
    const { url, cookie } = await world.start('sso')
    const back = await visitIssuer(url, 'sub-ada')
    const session = cookiePair(must(await world.finish(back, cookie)), 'skein')
    const entries = must(await world.tenant.admin.get('/v1/audit?operation=signIn')).body['entries']
    expect(Array.isArray(entries) && entries[0]).toMatchObject({ account: 'ada@acme.example.com' })
    const secrets = [
      new URL(back, PUBLIC_URL).searchParams.get('code') ?? '',
      cookie.split('=')[1] ?? '',
      session.split('=')[1] ?? '',
      's3cret',
    ]
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(5)
      expect(world.server.logLines.filter((line) => line.includes(secret))).toEqual([])
    }
  })
})

describe('a session of a person', () => {
  test('ends with signing out, in one browser or everywhere, and nobody else’s does', async () => {
    const [one, two, three] = [
      await sessionOf('sub-ada'),
      await sessionOf('sub-ada'),
      await sessionOf('sub-ada'),
    ]
    const bob = await sessionOf('sub-bob')
    const signOut = (cookie: string, query = {}) =>
      world.server.anonymous.delete('/v1/session', { headers: { cookie, ...SAME_ORIGIN }, query })
    must(await signOut(one))
    expect((await world.whoami(one)).status).toBe(401)
    expect((await world.whoami(two)).status).toBe(200)
    must(await signOut(two, { everywhere: 'true' }))
    expect([(await world.whoami(three)).status, (await world.whoami(bob)).status]).toEqual([401, 200])
  })

  test('is listed with its provider', async () => {
    const cookie = await sessionOf('sub-bob')
    const { sessions } = must(
      await world.server.anonymous.get('/v1/sessions', { headers: { cookie, ...SAME_ORIGIN } }),
    ).body as { sessions: Record<string, unknown>[] }
    expect(sessions.find(({ isCurrent }) => isCurrent === true)).toMatchObject({
      token: 'identity-provider/sso',
    })
  })

  test('cannot make a sign-in link, and has no key that anybody knows', async () => {
    const cookie = await sessionOf('sub-ada')
    const answer = await world.server.anonymous.post(
      '/v1/session/links',
      {},
      { headers: { cookie, ...SAME_ORIGIN } },
    )
    expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })

  test('ends when its provider is changed, paused or deleted, and a description changes nothing', async () => {
    const name = 'again'
    await world.provide(name, document())
    let cookie = await sessionOf('sub-ada', name)
    await world.provide(name, document({ description: 'Now with words.' }))
    expect((await world.whoami(cookie)).status).toBe(200)
    await world.provide(name, document({ roles: [] }))
    expect((await world.whoami(cookie)).status).toBe(401)
    cookie = await sessionOf('sub-ada', name)
    expect((await world.whoami(cookie)).body).toMatchObject({ role: 'viewer' })
    await world.provide(name, document({ paused: true }))
    expect((await world.whoami(cookie)).status).toBe(401)
    expect(await world.tryStart(name)).toMatchObject({ status: 404, reason: 'IDENTITY_PROVIDER_NOT_FOUND' })
    await world.provide(name, document())
    cookie = await sessionOf('sub-ada', name)
    must(await world.tenant.admin.delete(`/v1/catalog/identity-provider/${name}`))
    expect((await world.whoami(cookie)).status).toBe(401)
    await world.provide(name, document())
    expect((await world.whoami(cookie)).status).toBe(401)
    expect((await world.whoami(await sessionOf('sub-ada', name))).status).toBe(200)
  })
})

test('when the provider is down, nobody can sign in with it, and keys and sessions still work', async () => {
  const gone = await startCertifiedIssuer({}, [])
  await gone.close()
  const cookie = await sessionOf('sub-ada')
  await world.provide('down', document({ issuer: gone.issuer }))
  const answer = await world.tryStart('down')
  expect(answer).toMatchObject({ status: 503, reason: 'IDENTITY_PROVIDER_UNAVAILABLE' })
  expect((await world.whoami(cookie)).status).toBe(200)
  const key = world.tenant.admin.key ?? ''
  expect((await new TestClient(world.server.app, key).get('/v1/whoami')).status).toBe(200)
  expect((await signInWith(world.server, key)).status).toBe(200)
})

const list = (org?: string) =>
  world.server.anonymous.get('/v1/session/providers', { ...(org !== undefined && { query: { org } }) })

describe('the sign-in page', () => {
  test('is told the providers of an organization, and nothing else about it', async () => {
    await world.provide('paused', document({ paused: true }))
    const { providers } = must(await list('acme')).body as { providers: Record<string, unknown>[] }
    expect(providers).toContainEqual({ tenant: world.tenant.tenant, name: 'sso', title: 'Acme' })
    expect(providers.map(({ name }) => name)).not.toContain('paused')
  })

  test('gets the same answer for an organization without providers and for one that does not exist', async () => {
    await world.server.createTenant('quiet')
    const [quiet, nobody, none] = [await list('quiet'), await list('nobody'), await list()]
    expect([quiet.text, none.text]).toEqual([nobody.text, nobody.text])
    expect(nobody.body).toEqual({ providers: [] })
  })
})
