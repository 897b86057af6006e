import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { describeHost, visitFake } from './code-host-source.ts'
import { FakeCodeHost } from './fake-code-host.ts'
import { cookiePair, ProviderWorld } from './provider-world.ts'

let world: ProviderWorld
let host: FakeCodeHost

const people = {
  bob: { id: 8, login: 'bob', groups: ['acme', 'acme:payments'] },
  eve: { id: 9, login: 'eve', groups: ['elsewhere', 'elsewhere:acme'] },
  ivo: { id: 10, login: 'ivo', groups: [], invited: ['acme'] },
}

beforeAll(async () => {
  world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
  host = await FakeCodeHost.start('github', { ...people })
  await describeHost(world, host)
})

afterAll(async () => {
  await host.close()
  await world.close()
})

beforeEach(async () => {
  host.instead.clear()
  Object.assign(host.users, people)
  await world.provide('code', document())
})

const document = (fields: object = {}) => ({ codeHost: 'host', organizations: ['acme'], ...fields })

async function signIn(who: string, name = 'code', tenant = world.tenant) {
  const { url, cookie } = await world.start(name, tenant)
  return world.finish(await visitFake(url, who), cookie)
}

const accountOf = async (who: string) =>
  (must(await signIn(who)).body['identity'] as { account: string }).account

describe('whoever is not a member of the organization', () => {
  test.each(['eve', 'ivo'])('is refused, whatever the default role: %s', async (who) => {
    const answer = await signIn(who)
    expect(answer).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    expect(String(answer.body['message'])).toContain('not a member')
  })

  test('is refused if the host does not say', async () => {
    host.instead.set('/user/memberships/orgs', { status: 404, body: {} })
    expect(await signIn('bob')).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
  })
})

test('an organization that took the name of another gives nobody anything, until an admin names it anew', async () => {
  host.organizationIds['acme'] = 1
  const session = cookiePair(must(await signIn('bob')), 'skein')
  host.organizationIds['acme'] = 2
  expect(await signIn('bob')).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
  expect((await world.whoami(session)).status).toBe(200)
  await world.provide('code', document({ organizations: ['other'] }))
  await world.provide('code', document())
  must(await signIn('bob'))
  host.organizationIds['acme'] = 1
  expect((await signIn('bob')).status).toBe(403)
  await world.provide('code', document({ organizations: ['other'] }))
})

test('groups of organizations that the document does not name give no role', async () => {
  const roles = [{ claim: 'groups', value: 'elsewhere:admins', role: 'admin' }]
  await world.provide('code', document({ roles }))
  host.users['bob'] = { ...people.bob, groups: ['acme', 'elsewhere', 'elsewhere:admins'] }
  expect(must(await signIn('bob')).body).toMatchObject({ identity: { role: 'member' } })
})

test('somebody who answers for the host is another host, and must be protected like it', async () => {
  const before = await accountOf('bob')
  const code = { type: 'github', url: host.url, credential: 'host-credential', appId: '1' }
  must(await world.tenant.admin.write('code-host', 'host', { ...code, apiUrl: `${host.url}/api/v3/.` }))
  const other = await signIn('bob')
  expect(other.status === 200 ? (other.body['identity'] as { account: string }).account : '').not.toBe(before)
  must(await world.tenant.admin.write('code-host', 'host', { ...code, apiUrl: 'http://api.example.com' }))
  expect(await world.tryStart('code')).toMatchObject({ status: 503 })
  await describeHost(world, host)
})

test('a host that answers with more than it was asked for lets nobody in', async () => {
  const body = Array.from({ length: 101 }, () => ({}))
  host.instead.set('/user/memberships/orgs', { status: 200, body })
  expect((await signIn('bob')).status).toBe(503)
})

test('teams of the organization make members of teams', async () => {
  must(await world.tenant.admin.write('team', 'payments', {}))
  must(await world.tenant.admin.write('workspace', 'billing', { team: 'payments' }))
  const teams = [{ claim: 'groups', value: 'acme:payments', team: 'payments', role: 'member' }]
  await world.provide('code', document({ teams }))
  const seen = async (who: string) => {
    const cookie = cookiePair(must(await signIn(who)), 'skein')
    return (await world.server.anonymous.read('workspace', 'billing', { headers: { cookie } })).status
  }
  expect(await seen('bob')).toBe(200)
  host.users['bob'] = { ...people.bob, groups: ['acme', 'elsewhere:payments'] }
  expect(await seen('bob')).toBe(404)
})

test('a login that somebody else gets does not lead to the account, nor does that of a token or a program', async () => {
  const first = await accountOf('bob')
  host.users['bob'] = { ...people.bob, id: 80 }
  const second = await accountOf('bob')
  expect(first).toBe('bob')
  expect(second).toMatch(/^bob-\d$/)
  const owner = { ownerProvider: 'PROVIDER_CODEHOST_OAUTH', role: 'admin' }
  must(await world.tenant.admin.write('token', 'deploys', { account: 'deploy', ...owner }))
  host.users['deploy'] = { id: 81, login: 'Deploy', groups: ['acme'] }
  expect(await accountOf('deploy')).toBe('deploy-2')
})

test.each([
  ['no id', { id: undefined, login: 'bob' }],
  ['an id of text', { id: '8', login: 'bob' }],
  ['an id that is too large to be exact', { id: 2 ** 60, login: 'bob' }],
  ['the id of nobody', { id: 0, login: 'bob' }],
  ['no login', { id: 8 }],
  ['a login with NUL', { id: 8, login: 'b\u0000b' }],
  ['a login with a slash', { id: 8, login: 'a/b' }],
])('a host that answers with %s names nobody', async (_what, body) => {
  host.instead.set('/user', { status: 200, body })
  expect(await signIn('bob')).toMatchObject({ status: 401, reason: 'SIGN_IN_INVALID' })
})

test.each([
  ['fails', { status: 500, body: {} }, 503],
  ['asks to wait', { status: 429, body: {} }, 503],
  ['redirects', { status: 302, location: 'http://127.0.0.1:1/' }, 503],
  ['answers nonsense', { status: 200, body: [1, null, { organization: 7 }] }, 403],
])('a host that %s lets nobody in', async (_what, answer, status) => {
  host.instead.set('/user/memberships/orgs', answer)
  expect((await signIn('bob')).status).toBe(status)
})

test('sessions end when the code host is another, and a sign-in that is under way ends with it', async () => {
  const cookie = cookiePair(must(await signIn('bob')), 'skein')
  const started = await world.start('code')
  const back = await visitFake(started.url, 'bob')
  await describeHost(world, { type: 'github', url: `${host.url}/` })
  await describeHost(world, { type: 'github', url: `${host.url}/moved` })
  expect((await world.whoami(cookie)).status).toBe(401)
  expect(await world.finish(back, started.cookie)).toMatchObject({ status: 401, reason: 'SIGN_IN_EXPIRED' })
  await describeHost(world, host)
})

test('an answer for one tenant opens nothing in another with the same code host', async () => {
  const other = await world.server.createTenant('umbrella')
  must(await other.admin.write('secret', 'host-credential', { value: 'unused' }))
  const code = { type: 'github', url: host.url, credential: 'host-credential', appId: '1' }
  must(await other.admin.write('code-host', 'host', code))
  await world.provide('code', document({ organizations: ['elsewhere'] }), other)
  const { url, cookie } = await world.start('code', other)
  const back = await visitFake(url, 'eve')
  const substituted = back.replace(world.callback('code', other), world.callback('code'))
  expect(await world.finish(substituted, cookie)).toMatchObject({ status: 401, reason: 'SIGN_IN_EXPIRED' })
  const second = await world.start('code', other)
  const theirs = must(await world.finish(await visitFake(second.url, 'eve'), second.cookie))
  expect(theirs.body).toMatchObject({ identity: { tenant: { org: 'umbrella' }, account: 'eve' } })
})

test('a logout token ends nothing at a code host, which has none', async () => {
  const answer = await world.server.anonymous.post(
    '/v1/session/logout/codehost_app:acme/code',
    'logout_token=eyJhbGciOiJub25lIn0.eyJpc3MiOiIifQ.',
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  )
  expect(answer).toMatchObject({ status: 401, reason: 'SIGN_IN_INVALID' })
})

test.each([
  ['an issuer', { issuer: 'https://sso.example.com' }, 'issuer'],
  ['no organization', { organizations: [] }, 'organizations'],
  ['a domain', { emailDomains: ['acme.example.com'] }, 'emailDomains'],
  ['no code host', { codeHost: '' }, 'issuer'],
  ['a code host that does not exist', { codeHost: 'nowhere' }, 'codeHost'],
])('a document with %s is refused', async (_what, fields, field) => {
  const answer = await world.tenant.admin.write('identity-provider', 'bad', {
    title: 'Bad',
    clientId: 'skein',
    clientSecret: 'client-secret',
    ...document(fields),
  })
  expect(answer.status).toBe(400)
  expect(answer.fields).toContain(field)
})
