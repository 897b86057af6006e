import { waitFor } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN } from '../../browser.ts'
import { describeHost, visitFake } from './code-host-source.ts'
import { FakeCodeHost } from './fake-code-host.ts'
import { HostileIssuer } from './hostile-issuer.ts'
import { LinkWorld } from './link-world.ts'
import { cookiePair, ProviderWorld } from './provider-world.ts'

let world: ProviderWorld
let agents: AgentWorld
let links: LinkWorld
let issuer: HostileIssuer
let host: FakeCodeHost

beforeAll(async () => {
  world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
  agents = await AgentWorld.in(world.server, world.tenant)
  links = new LinkWorld(world)
  issuer = await HostileIssuer.start()
  host = await FakeCodeHost.start('gitea', { ada: { id: 7, login: 'adele', groups: ['acme'] } })
  await describeHost(world, host)
  await world.provide('code', { codeHost: 'host', organizations: ['acme'] })
})

beforeEach(async () => {
  issuer.reset()
  await world.provide('sso', { issuer: issuer.issuer })
  await agents.sql('update browser_session set revoked_at = now() where revoked_at is null')
})

afterAll(async () => {
  await issuer.close()
  await host.close()
  await world.close()
})

async function sso(): Promise<string> {
  issuer.subject = 'ada'
  issuer.forge = (claims) => ({ ...claims, sid: 'sid-1' })
  const { url, cookie } = await world.start('sso')
  issuer.nonce = url.searchParams.get('nonce') ?? ''
  const returned = `${world.callback('sso')}?code=c&state=${url.searchParams.get('state') ?? ''}`
  return cookiePair(must(await world.finish(returned, cookie)), 'skein')
}

async function code(): Promise<string> {
  const { url, cookie } = await world.start('code')
  return cookiePair(must(await world.finish(await visitFake(url, 'ada'), cookie)), 'skein')
}

/** Signed in with the single sign-on only, whose account is linked to that of the code host. */
async function linked(): Promise<string> {
  const session = await sso()
  must(await links.tryToLink(session, 'code', 'ada'))
  return session
}

const browser = (cookie: string) => ({ headers: { cookie, ...SAME_ORIGIN } })

const signOut = (cookie: string) => world.server.anonymous.delete('/v1/session', browser(cookie))

const isLetGo = async () =>
  (await agents.sql(`select from person_grant where subject = '7' and keep_until <= now()`)).length === 1

async function sessionIds(cookie: string): Promise<string[]> {
  const { body } = must(await world.server.anonymous.get('/v1/sessions', browser(cookie)))
  return (body['sessions'] as { id: string }[]).map(({ id }) => id)
}

async function logOut(fields: object): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const claims = { iss: issuer.issuer, aud: 'skein', iat: now, exp: now + 120, jti: 'one', events, ...fields }
  const form = new URLSearchParams({ logout_token: await issuer.sign(claims) }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  must(await world.server.anonymous.post('/v1/session/logout/codehost_app:acme/sso', form, { headers }))
}

describe('the token of a code host is let go when the last session ends', () => {
  test('from the list of sessions', async () => {
    const [one, two] = [await code(), await code()]
    const [newer = '', older = ''] = await sessionIds(one)
    must(await world.server.anonymous.delete(`/v1/sessions/${older}`, browser(two)))
    expect(await isLetGo()).toBe(false)
    must(await world.server.anonymous.delete(`/v1/sessions/${newer}`, browser(two)))
    expect(await isLetGo()).toBe(true)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['the provider logs the session out', () => logOut({ sid: 'sid-1' })],
    ['the provider logs the person out', () => logOut({ sub: 'ada' })],
    [
      'an admin changes the provider',
      () => world.provide('sso', { issuer: issuer.issuer, defaultRole: 'viewer' }),
    ],
    [
      'an admin deletes the provider',
      async () => must(await world.tenant.admin.delete('/v1/catalog/identity-provider/sso')),
    ],
  ])('of a linked account: %s', async (_what, end) => {
    await linked()
    const atHost = await code()
    await end()
    expect(await isLetGo()).toBe(false)
    must(await signOut(atHost))
    expect(await isLetGo()).toBe(true)
    await world.provide('sso', { issuer: issuer.issuer })
    await linked()
    expect(await isLetGo()).toBe(false)
    await end()
    expect(await isLetGo()).toBe(true)
  })

  test('also if the last two, of linked accounts, end at the same moment', async () => {
    const cookies = [await linked(), await code()]
    const holder = new Client({ connectionString: world.server.database.ownerUrl })
    await holder.connect()
    try {
      // Both have ended their session, and can't commit.
      await holder.query('begin; lock table audit in share mode')
      const both = Promise.all(cookies.map(signOut))
      const waiting = `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database()`
      await waitFor(async () => (await holder.query(waiting)).rowCount === 2, { what: 'both to wait' })
      await holder.query('commit')
      for (const answer of await both) must(answer)
    } finally {
      await holder.end()
    }
    expect(await isLetGo()).toBe(true)
  })
})
