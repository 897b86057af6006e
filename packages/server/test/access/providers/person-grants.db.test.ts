import { CodeHostLoops } from '@skein/engine'
import { PersonGrantStore } from '@skein/store'
import { waitFor, type TestAnswer } from '@skein/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN } from '../../browser.ts'
import { dumpDatabase } from '../../database-dump.ts'
import { describeHost, visitFake } from './code-host-source.ts'
import { FakeCodeHost } from './fake-code-host.ts'
import { cookiePair, ProviderWorld } from './provider-world.ts'

let world: ProviderWorld
let agents: AgentWorld
let host: FakeCodeHost
let loops: CodeHostLoops

const people = {
  bob: { id: 8, login: 'bob', groups: ['acme', 'acme:admins'] },
  cleo: { id: 9, login: 'cleo', groups: ['acme'] },
}

beforeAll(async () => {
  world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
  agents = await AgentWorld.in(world.server, world.tenant)
  host = await FakeCodeHost.start('github', { ...people })
  await describeHost(world, host)
  const roles = [{ claim: 'groups', value: 'acme:admins', role: 'admin' }]
  await world.provide('code', { codeHost: 'host', organizations: ['acme'], roles })
})

beforeEach(() => {
  host.instead.clear()
  host.asked.length = 0
  host.tokenSeconds = 3600
  Object.assign(host.users, people)
  loops = startLoops()
})

afterEach(() => loops.stop())

afterAll(async () => {
  await host.close()
  await world.close()
})

function startLoops(): CodeHostLoops {
  const started = new CodeHostLoops(world.server.engine, fetch, () => {})
  started.start()
  return started
}

async function sessionOf(who: string): Promise<string> {
  const { url, cookie } = await world.start('code')
  return cookiePair(must(await world.finish(await visitFake(url, who), cookie)), 'skein')
}

/** An hour has passed. */
const makeDue = () => agents.sql(`update person_grant set check_at = '-infinity'`)

const isChecked = () =>
  waitFor(async () => (await agents.sql('select from person_grant where check_at < now()')).length === 0, {
    what: 'the check',
  })

/** Checks that were begun are finished. */
async function check(): Promise<void> {
  await makeDue()
  await isChecked()
  await loops.stop()
  loops = startLoops()
}

const grantsOf = (subject: number) =>
  agents.sql('select * from person_grant where subject = $1', [String(subject)])

const inTenant = <Result>(work: (store: PersonGrantStore) => Promise<Result>) =>
  world.server.engine.database.forTenant(world.tenant.id, (transaction) =>
    work(new PersonGrantStore(transaction)),
  )

const statusOf = async (cookie: string) => (await world.whoami(cookie)).status

const signOut = (cookie: string): Promise<TestAnswer> =>
  world.server.anonymous.delete('/v1/session', { headers: { cookie, ...SAME_ORIGIN } })

test('what lets us act for a person is sealed, and in no answer and no log', async () => {
  const cookie = await sessionOf('bob')
  await check()
  const shown = [
    await dumpDatabase(world.server.database),
    (await world.whoami(cookie)).text,
    world.server.logLines.join('\n'),
  ].join('\n')
  const secrets = [...host.tokens.keys(), ...host.refreshTokens.keys()]
  expect(secrets.length).toBeGreaterThan(1)
  for (const secret of secrets) expect(shown).not.toContain(secret)
})

describe('while a person is signed in', () => {
  test('they are signed out, and forgotten at the host, when they have left the organization', async () => {
    const [cookie, other] = [await sessionOf('bob'), await sessionOf('cleo')]
    host.users['bob'] = { ...people.bob, groups: ['elsewhere'] }
    await check()
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([401, 200])
    expect(await grantsOf(8)).toEqual([])
    expect([...host.tokens.values()].filter((who) => who === 'bob').length).toBeLessThan(2)
    await expect
      .poll(async () => (await world.tenant.admin.get('/v1/audit?operation=endPersonSessions')).text)
      .toContain('no longer vouches')
  })

  test('their role follows their teams there', async () => {
    const cookie = await sessionOf('bob')
    host.users['bob'] = { ...people.bob, groups: ['acme'] }
    await check()
    expect((await world.whoami(cookie)).body).toMatchObject({ role: 'member' })
  })

  test('they are signed out when the host no longer accepts the token, or it belongs to somebody else', async () => {
    const revoked = await sessionOf('cleo')
    host.tokens.clear()
    await check()
    expect(await statusOf(revoked)).toBe(401)
    const swapped = await sessionOf('cleo')
    host.users['cleo'] = { ...people.cleo, id: 99 }
    await check()
    expect(await statusOf(swapped)).toBe(401)
  })

  test.each([
    ['fails', { status: 500 }],
    ['asks to wait', { status: 429 }],
  ])('nothing happens while the host %s', async (_what, answer) => {
    const cookie = await sessionOf('bob')
    host.instead.set('/user', answer)
    await check()
    expect(await statusOf(cookie)).toBe(200)
    expect(await grantsOf(8)).toHaveLength(1)
  })
})

describe('a token that expires', () => {
  test('is renewed once, however many servers need it, and the renewed one again', async () => {
    host.tokenSeconds = 60
    const cookie = await sessionOf('bob')
    const more = [startLoops(), startLoops()]
    await check()
    await Promise.all(more.map((each) => each.stop()))
    await check()
    expect(await statusOf(cookie)).toBe(200)
    const renewals = host.asked.filter((form) => form.get('grant_type') === 'refresh_token')
    const ofBob = new Set(renewals.map((form) => form.get('refresh_token')))
    expect(ofBob.size).toBe(renewals.length)
    expect(renewals.length).toBeGreaterThanOrEqual(2)
  })

  test('ends the sessions of its person if the host refuses to renew it', async () => {
    host.tokenSeconds = 60
    const cookie = await sessionOf('cleo')
    host.refreshTokens.clear()
    await check()
    expect(await statusOf(cookie)).toBe(401)
    expect(await grantsOf(9)).toEqual([])
  })
})

describe('after signing out', () => {
  test('of the last session, it is forgotten here and at the host', async () => {
    const [one, two] = [await sessionOf('cleo'), await sessionOf('cleo')]
    must(await signOut(one))
    await isChecked()
    expect(await grantsOf(9)).toHaveLength(1)
    must(await signOut(two))
    await waitFor(async () => (await grantsOf(9)).length === 0, { what: 'it to be forgotten' })
    await waitFor(() => host.requests.includes('DELETE /api/v3/applications/skein/token'), {
      what: 'the host to be told',
    })
  })

  test('a check that was under way does not keep it', async () => {
    await loops.stop()
    await sessionOf('cleo')
    const [grant] = await grantsOf(9)
    const person = { identityProvider: 'code', issuer: String(grant?.['issuer']), subject: '9' }
    const read = await inTenant((store) => store.find(person, Date.now()))
    if (!read) throw new Error('The grant is there')
    await agents.sql('update browser_session set revoked_at = now()')
    await inTenant((store) => store.letGo([read.keyId], Date.now()))
    const later = Date.now() + 3_600_000
    await inTenant((store) => store.checkAgain(person, read, { at: later, keepUntil: later }))
    expect(await inTenant((store) => store.find(person, Date.now()))).toMatchObject({
      sessionEndsAt: undefined,
    })
    loops = startLoops()
    await waitFor(async () => (await grantsOf(9)).length === 0, { what: 'it to be forgotten' })
  })
})

test('what was sealed for one person cannot be used for another', async () => {
  const [bob, cleo] = [await sessionOf('bob'), await sessionOf('cleo')]
  await agents.sql(
    `update person_grant set sealed = (select sealed from person_grant where subject = '8') where subject = '9'`,
  )
  await check()
  expect([await statusOf(bob), await statusOf(cleo)]).toEqual([200, 401])
})
