import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { cookieFor, SAME_ORIGIN } from '../../browser.ts'
import { startCertifiedIssuer, type CertifiedIssuer } from './certified-issuer.ts'
import { describeHost, visitFake } from './code-host-source.ts'
import { FakeCodeHost } from './fake-code-host.ts'
import { LinkWorld } from './link-world.ts'
import { cookiePair, ProviderWorld, PUBLIC_URL } from './provider-world.ts'
import { visitIssuer } from './visit-issuer.ts'
import { whileLocked } from './while-locked.ts'

let world: ProviderWorld
let agents: AgentWorld
let links: LinkWorld
let issuer: CertifiedIssuer
let host: FakeCodeHost

const EMAILS = ['ada', 'bob', 'eve'].map((name): [string, Record<string, unknown>] => [
  `sub-${name}`,
  { email: `${name}@acme.example.com`, email_verified: true, groups: name === 'ada' ? ['admins'] : [] },
])

const PEOPLE = {
  ada: { id: 7, login: 'adele', groups: ['acme'] },
  bob: { id: 8, login: 'bob', groups: ['acme', 'acme:admins'] },
  eve: { id: 9, login: 'eve', groups: ['acme'] },
}

beforeAll(async () => {
  world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
  agents = await AgentWorld.in(world.server, world.tenant)
  links = new LinkWorld(world)
  issuer = await startCertifiedIssuer(Object.fromEntries(EMAILS), [
    {
      client_id: 'skein',
      client_secret: 's3cret',
      redirect_uris: [PUBLIC_URL + world.callback('sso'), PUBLIC_URL + world.callback('second')],
    },
  ])
  host = await FakeCodeHost.start('gitea', { ...PEOPLE })
  await describeHost(world, host)
  const roles = [{ claim: 'groups', value: 'admins', role: 'admin' }]
  for (const name of ['sso', 'second']) {
    await world.provide(name, { issuer: issuer.issuer, scopes: ['email', 'groups'], roles })
  }
  await world.provide('code', {
    codeHost: 'host',
    organizations: ['acme'],
    opensPullRequests: true,
    roles: [{ claim: 'groups', value: 'acme:admins', role: 'admin' }],
  })
})

beforeEach(async () => {
  Object.assign(host.users, PEOPLE)
  await agents.sql(`update person set link_id = null, linked_at = null, deactivated_at = null`)
})

afterAll(async () => {
  await issuer.close()
  await host.close()
  await world.close()
})

async function sso(who: string, name = 'sso'): Promise<string> {
  const { url, cookie } = await world.start(name)
  return cookiePair(must(await world.finish(await visitIssuer(url, `sub-${who}`), cookie)), 'skein')
}

async function code(who: string): Promise<string> {
  const { url, cookie } = await world.start('code')
  return cookiePair(must(await world.finish(await visitFake(url, who), cookie)), 'skein')
}

const endSessionsOf = (subject: string) =>
  agents.sql(
    `update browser_session set revoked_at = now() where key_id in (select key_id from person where subject = $1)`,
    [subject],
  )

/** Adele's token at the code host, if it is about to be forgotten. */
const dueGrants = () => agents.sql(`select from person_grant where subject = '7' and keep_until <= now()`)

const signOut = (cookie: string) =>
  world.server.anonymous.delete('/v1/session', {
    headers: { cookie, ...SAME_ORIGIN },
    query: { everywhere: 'true' },
  })

const lockOf = (name: string, seed: number) =>
  `select pg_advisory_xact_${name}(hashtextextended('${world.tenant.id}', ${String(seed)}))`

const auditOf = async (operation: string) =>
  must(await world.tenant.admin.get(`/v1/audit?operation=${operation}`)).body['entries'] as object[]

describe('linking', () => {
  test('joins two accounts that the person proved in one browser, and shows it to both', async () => {
    const session = await sso('ada')
    expect(await links.list(session)).toMatchObject({
      links: [],
      providers: [{ name: 'code' }, { name: 'second' }],
    })
    expect(must(await links.tryToLink(session, 'code', 'ada')).body).toMatchObject({
      link: {
        identityProvider: 'code',
        ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
        account: 'adele',
        opensPullRequests: true,
      },
    })
    expect(await links.list(session)).toMatchObject({
      links: [{ account: 'adele' }],
      providers: [{ name: 'second' }],
    })
    expect(await links.accounts(await code('ada'))).toEqual(['ada@acme.example.com'])
    expect((await auditOf('linkAccount'))[0]).toMatchObject({
      account: 'ada@acme.example.com',
      name: 'codehost_oauth/adele',
      kind: 'account',
    })
  })

  test('again renews the token and changes nothing else', async () => {
    const session = await sso('ada')
    const first = must(await links.tryToLink(session, 'code', 'ada')).body['link']
    await agents.sql('delete from person_grant')
    expect(await links.list(session)).toMatchObject({ links: [{ opensPullRequests: false }] })
    expect(must(await links.tryToLink(session, 'code', 'ada')).body['link']).toEqual(first)
    expect(await links.list(session)).toMatchObject({ links: [{ opensPullRequests: true }] })
  })

  test('gives no role: each account keeps its own, and what opens no session is no session', async () => {
    const [viewer, admin] = [await sso('bob'), await code('bob')]
    const answer = must(await links.tryToLink(viewer, 'code', 'bob'))
    expect(cookiePair(answer, 'skein')).toBe('')
    expect((await world.whoami(viewer)).body).toMatchObject({
      account: 'bob@acme.example.com',
      role: 'member',
    })
    expect((await world.whoami(admin)).body).toMatchObject({ account: 'bob', role: 'admin' })
    const headers = { cookie: viewer, ...SAME_ORIGIN }
    expect((await world.server.anonymous.get('/v1/audit', { headers })).status).toBe(403)
  })

  test('three accounts, and taking one away leaves two', async () => {
    const session = await sso('ada')
    must(await links.tryToLink(session, 'code', 'ada'))
    const { url, flow } = await links.start(session, 'second')
    must(await links.finish(session, flow, await visitIssuer(url, 'sub-ada')))
    expect(await links.accounts(session)).toEqual(['adele', 'ada@acme.example.com-2'])
    must(await links.unlink(session, 'code'))
    expect(await links.accounts(session)).toEqual(['ada@acme.example.com-2'])
    expect(await links.accounts(await code('ada'))).toEqual([])
    must(await links.unlink(session, 'sso'))
    expect(await agents.sql('select from person where link_id is not null')).toEqual([])
  })
})

describe('is refused', () => {
  test('in a browser that did not start it: a victim’s browser cannot be made to link somebody else’s account', async () => {
    const [victim, attacker] = [await sso('ada'), await sso('eve')]
    const { url, flow } = await links.start(attacker, 'code')
    const returned = await visitFake(url, 'eve')
    expect(await links.finish(victim, '', returned)).toMatchObject({ status: 401, reason: 'SIGN_IN_EXPIRED' })
    // Even with the attacker's cookie, which another host of the site might plant.
    expect(await links.finish(victim, flow, returned)).toMatchObject({ reason: 'SIGN_IN_EXPIRED' })
    expect(await links.accounts(victim)).toEqual([])
  })

  test('from a page of another origin, without a session, and with the session’s successor', async () => {
    const session = await sso('ada')
    const headers = { cookie: session, 'sec-fetch-site': 'cross-site', 'x-skein-page-secret': '' }
    const forged = await world.server.anonymous.post('/v1/account/links', { name: 'code' }, { headers })
    expect([401, 403]).toContain(forged.status)
    const { url, flow } = await links.start(session, 'code')
    const returned = await visitFake(url, 'ada')
    expect((await links.finish('', flow, returned)).status).toBe(401)
    expect(await links.finish(await sso('ada'), flow, returned)).toMatchObject({ reason: 'SIGN_IN_EXPIRED' })
    expect(await links.accounts(session)).toEqual([])
  })

  test('a second time, and a sign-in is no link nor a link a sign-in', async () => {
    const session = await sso('ada')
    const { url, flow } = await links.start(session, 'code')
    const returned = await visitFake(url, 'ada')
    expect(await world.finish(returned, flow)).toMatchObject({ reason: 'SIGN_IN_EXPIRED' })
    must(await links.finish(session, flow, returned))
    must(await links.unlink(session, 'code'))
    expect(await links.finish(session, flow, returned)).toMatchObject({ reason: 'SIGN_IN_EXPIRED' })
    const signIn = await world.start('code')
    const signedIn = await visitFake(signIn.url, 'ada')
    expect(await links.finish(session, signIn.cookie, signedIn)).toMatchObject({ reason: 'SIGN_IN_EXPIRED' })
    expect(await links.accounts(session)).toEqual([])
  })

  test('for an account that is linked to somebody else, also if both try at once', async () => {
    const [ada, eve] = [await sso('ada'), await sso('eve')]
    const answers = await Promise.all([
      links.tryToLink(ada, 'code', 'bob'),
      links.tryToLink(eve, 'code', 'bob'),
    ])
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '400'])
    expect(answers.find(({ status }) => status === 400)).toMatchObject({ reason: 'ACCOUNT_NOT_LINKABLE' })
    const found = [...(await links.accounts(ada)), ...(await links.accounts(eve))]
    expect(found).toEqual(['bob'])
    // Nothing of the refused try stays, not even the token.
    expect(await agents.sql('select from person where link_id is not null')).toHaveLength(2)
  })

  test('for a second account of one provider, itself, and a provider that is not there', async () => {
    const session = await sso('ada')
    must(await links.tryToLink(session, 'code', 'ada'))
    expect(await links.tryToLink(session, 'code', 'bob')).toMatchObject({ reason: 'ACCOUNT_NOT_LINKABLE' })
    const { url, flow } = await links.start(session, 'sso')
    const itself = await links.finish(session, flow, await visitIssuer(url, 'sub-ada'))
    expect(itself).toMatchObject({ reason: 'ACCOUNT_NOT_LINKABLE' })
    expect(await links.tryStart(session, 'nobody')).toMatchObject({ status: 404 })
    expect(await links.accounts(session)).toEqual(['adele'])
  })

  test('across tenants', async () => {
    const other = await world.server.createTenant('other')
    await world.provide('sso', { issuer: issuer.issuer }, other)
    const session = await sso('ada')
    const { url, flow } = await links.start(session, 'code')
    const returned = await visitFake(url, 'ada')
    const foreign = await cookieFor(world.server, other.admin)
    expect(await links.finish(foreign, flow, returned)).toMatchObject({ reason: 'SIGN_IN_EXPIRED' })
    expect(await links.tryStart(foreign, 'code')).toMatchObject({ status: 403 })
  })

  test('with a key, and with a session that a key opened', async () => {
    const { admin } = world.tenant
    expect(await admin.post('/v1/account/links', { name: 'code' })).toMatchObject({
      status: 403,
      reason: 'PERMISSION_MISSING',
    })
    expect(await links.tryStart(await cookieFor(world.server, admin), 'code')).toMatchObject({ status: 403 })
    expect(must(await admin.get('/v1/account/links')).body).toEqual({ links: [], providers: [] })
    expect(await admin.delete('/v1/account/links/code')).toMatchObject({ reason: 'LINK_NOT_FOUND' })
  })

  test('for somebody who could not sign in there, and once the session has ended', async () => {
    const session = await sso('ada')
    host.users['ada'] = { ...PEOPLE.ada, groups: [] }
    expect(await links.tryToLink(session, 'code', 'ada')).toMatchObject({ reason: 'SIGN_IN_REFUSED' })
    host.users['ada'] = PEOPLE.ada
    await code('ada')
    await agents.sql(`update person set deactivated_at = now() where subject = '7'`)
    expect(await links.tryToLink(session, 'code', 'ada')).toMatchObject({ reason: 'SIGN_IN_REFUSED' })
    await agents.sql(`update person set deactivated_at = null`)
    const { url, flow } = await links.start(session, 'code')
    const returned = await visitFake(url, 'ada')
    must(await world.server.anonymous.delete('/v1/session', { headers: { cookie: session, ...SAME_ORIGIN } }))
    expect((await links.finish(session, flow, returned)).status).toBe(401)
  })
})

describe('unlinking', () => {
  test('is done by the person, from either side, or by an admin', async () => {
    const session = await sso('ada')
    must(await links.tryToLink(session, 'code', 'ada'))
    const [member, adaAtHost] = [await sso('eve'), await code('ada')]
    const of = { ownerProvider: 'PROVIDER_IDP_OIDC', account: 'ada@acme.example.com' }
    expect(await links.unlink(member, 'code', of)).toMatchObject({ status: 403 })
    expect(await links.unlink(member, 'code')).toMatchObject({ reason: 'LINK_NOT_FOUND' })
    must(await links.unlink(adaAtHost, 'sso'))
    expect(await links.accounts(session)).toEqual([])
    must(await links.tryToLink(session, 'code', 'ada'))
    must(await world.tenant.admin.delete('/v1/account/links/code', { query: of }))
    expect(await links.accounts(session)).toEqual([])
    expect((await auditOf('unlinkAccount'))[0]).toMatchObject({ name: 'codehost_oauth/adele' })
  })

  test('lets go of the token, unless the person is signed in with that account', async () => {
    const session = await sso('ada')
    must(await links.tryToLink(session, 'code', 'ada'))
    await endSessionsOf('7')
    expect(await dueGrants()).toEqual([])
    must(await links.unlink(session, 'code'))
    expect(await dueGrants()).toHaveLength(1)
    must(await links.tryToLink(session, 'code', 'ada'))
    await code('ada')
    must(await links.unlink(session, 'code'))
    expect(await dueGrants()).toEqual([])
  })

  test('one of three lets go of the tokens of those that stay linked, if the person is signed in with none', async () => {
    await endSessionsOf('7')
    await endSessionsOf('sub-ada')
    const session = await sso('ada')
    must(await links.tryToLink(session, 'code', 'ada'))
    const { url, flow } = await links.start(session, 'second')
    must(await links.finish(session, flow, await visitIssuer(url, 'sub-ada')))
    expect(await dueGrants()).toEqual([])
    must(await links.unlink(session, 'sso'))
    expect(await agents.sql('select from person where link_id is not null')).toHaveLength(2)
    expect(await dueGrants()).toHaveLength(1)
  })

  test('waits for a server of an older build, and is refused if the session ends meanwhile', async () => {
    const session = await sso('ada')
    must(await links.tryToLink(session, 'code', 'ada'))
    const answer = await whileLocked(
      world.server.database.ownerUrl,
      lockOf('lock', 4),
      () => links.unlink(session, 'code'),
      () => endSessionsOf('sub-ada'),
    )
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
    expect(await links.accounts(await sso('ada'))).toEqual(['adele'])
  })
})

test('signing out everywhere lets go of the token of a linked account, unless that is signed in too', async () => {
  await endSessionsOf('7')
  await endSessionsOf('sub-ada')
  const session = await sso('ada')
  must(await links.tryToLink(session, 'code', 'ada'))
  const atHost = await code('ada')
  must(await signOut(session))
  expect(await dueGrants()).toEqual([])
  must(await signOut(await sso('ada')))
  must(await signOut(atHost))
  expect(await dueGrants()).toHaveLength(1)
  // Without a session of the account that has the token.
  const again = await sso('ada')
  must(await links.tryToLink(again, 'code', 'ada'))
  expect(await dueGrants()).toEqual([])
  must(await signOut(again))
  expect(await dueGrants()).toHaveLength(1)
})

test('somebody who signs in waits for others who do, and holds up nobody who queues a run', async () => {
  const { ownerUrl } = world.server.database
  let isQueued = false
  const session = await whileLocked(
    ownerUrl,
    lockOf('lock', 6),
    () => sso('ada'),
    async () => {
      await agents.sql(`set lock_timeout = '5s'; select wait_for_turn('${world.tenant.id}')`)
      isQueued = true
    },
  )
  expect([isQueued, (await world.whoami(session)).status]).toEqual([true, 200])
})
