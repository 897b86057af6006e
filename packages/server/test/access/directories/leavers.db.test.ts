import { waitFor, type TestClient } from '@skein/testkit'
import { removeExpired } from '@skein/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../../agents/agent-world.ts'
import { describeHost, visitFake } from '../providers/code-host-source.ts'
import { FakeCodeHost } from '../providers/fake-code-host.ts'
import { LinkWorld } from '../providers/link-world.ts'
import { cookiePair } from '../providers/provider-world.ts'
import { ok, ScimWorld } from './scim-world.ts'

let scim: ScimWorld

beforeAll(async () => {
  scim = await ScimWorld.start(
    {
      roles: [{ claim: 'groups', value: 'Admins', role: 'admin' }],
      defaultRole: 'member',
    },
    { claim: 'sub' },
  )
  const { admin } = scim.tenant
  must(await admin.write('team', 'payments', {}))
  must(await admin.write('workspace', 'billing', { team: 'payments' }))
  await scim.world.provide('sso', {
    issuer: scim.issuer.issuer,
    roles: [{ claim: 'groups', value: 'Admins', role: 'admin' }],
    teams: [
      { claim: 'groups', value: 'Payers', team: 'payments', role: 'lead' },
      { claim: 'groups', value: 'Staff', team: 'payments', role: 'viewer' },
    ],
  })
})

afterAll(() => scim.close())

const seesBilling = async (cookie: string) =>
  (await scim.server.anonymous.read('workspace', 'billing', { headers: { cookie } })).status === 200

async function leaverOf(subject: string) {
  const { body } = must(await scim.tenant.admin.get('/v1/leavers'))
  const leavers = body['leavers'] as Record<string, unknown>[]
  return leavers.find(({ account }) => account === `${subject}@acme.example.com`)
}

/** A key that acts for the person. */
async function keyFor(subject: string, role = 'member'): Promise<string> {
  const account = `${subject}@acme.example.com`
  const document = { account, ownerProvider: 'PROVIDER_IDP_OIDC', role }
  const { document: written } = must(
    await scim.tenant.admin.write('token', `${role}-of-${subject}`, document),
  )
  return String(written['key'])
}

describe('a joiner', () => {
  test('can sign in once the directory lists them, and only then', async () => {
    expect(await scim.tryToSignIn('joiner')).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    await scim.user('joiner')
    const cookie = await scim.signIn('joiner')
    expect(await scim.roleOf(cookie)).toBe('member')
  })

  test('is recognised by the subject, not by an address that somebody else can have', async () => {
    await scim.user('real', { userName: 'shared@acme.example.com' })
    const fake = { email: 'shared@acme.example.com', email_verified: true }
    expect(await scim.tryToSignIn('fake', fake)).toMatchObject({ reason: 'SIGN_IN_REFUSED' })
  })

  test('gets the teams of their groups, which change at once, and claims of that name do not count', async () => {
    const id = await scim.user('payer')
    const cookie = await scim.signIn('payer', { groups: ['Payers', 'Admins'] })
    expect(await scim.roleOf(cookie)).toBe('member')
    expect(await seesBilling(cookie)).toBe(false)
    const group = await scim.group('Payers', id)
    expect(await seesBilling(cookie)).toBe(true)
    const staff = await scim.group('Staff', id)
    ok(await scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'Former payers' }))
    expect(await seesBilling(cookie)).toBe(true)
    ok(await scim.patch(`/Groups/${staff}`, { op: 'Remove', path: 'members', value: [{ value: id }] }))
    expect(await seesBilling(cookie)).toBe(false)
    ok(await scim.patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: 'Payers' }))
    expect(await seesBilling(cookie)).toBe(true)
    ok(await scim.send('DELETE', `/Groups/${group}`))
    expect(await seesBilling(cookie)).toBe(false)
    expect(await scim.statusOf(cookie)).toBe(200)
  })

  test('gets a role by a group at the next sign-in, to which the change leads', async () => {
    const id = await scim.user('chief')
    const before = await scim.signIn('chief')
    const group = await scim.group('Admins', id)
    expect(await scim.statusOf(before)).toBe(401)
    const after = await scim.signIn('chief')
    expect(await scim.roleOf(after)).toBe('admin')
    ok(await scim.patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${id}"]` }))
    expect(await scim.statusOf(after)).toBe(401)
    expect(await scim.roleOf(await scim.signIn('chief'))).toBe('member')
  })
})

describe('a leaver', () => {
  const ways: [string, (id: string) => Promise<unknown>][] = [
    ['deactivated', (id) => scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })],
    [
      'replaced',
      (id) =>
        scim.send('PUT', `/Users/${id}`, {
          userName: `put-${id}`,
          externalId: 'leaver-replaced',
          active: false,
        }),
    ],
    ['deleted', (id) => scim.send('DELETE', `/Users/${id}`)],
  ]

  test.each(ways)(
    'who is %s loses sessions, keys, command lines and share links, and cannot sign in',
    async (how, leave) => {
      const subject = `leaver-${how}`
      const id = await scim.user(subject)
      const cookie = await scim.signIn(subject)
      const key = await keyFor(subject)
      const client = scim.tenant.client(key)
      const link = must(await client.post('/v1/session/links', {})).body['url']
      const agentId = { workspace: 'shop', agent: [`of-${how}`] }
      must(await scim.tenant.admin.write('workspace', 'shop', {}))
      must(await client.post('/v1/agent/spawn', { agentId, description: 'Work.' }))
      const shared = {
        workspace: 'shop',
        agent: agentId.agent,
        account: `${subject}@acme.example.com`,
        ownerProvider: 'PROVIDER_IDP_OIDC',
      }
      const share = must(await scim.tenant.admin.write('share-link', `of-${how}`, shared)).document['key']
      expect([
        await scim.statusOf(cookie),
        await scim.statusOfKey(key),
        await scim.statusOfKey(String(share)),
      ]).toEqual([200, 200, 200])

      await leave(id)
      expect(await scim.statusOf(cookie)).toBe(401)
      await expect.poll(() => scim.statusOfKey(key), { timeout: 6_000 }).toBe(401)
      expect(await scim.statusOfKey(String(share))).toBe(401)
      const code = String(link).split('#')[1]
      expect(
        (await scim.server.anonymous.post('/v1/session', { apiKey: code, pageSecret: 'p'.repeat(43) }))
          .status,
      ).toBe(401)
      expect(await scim.tryToSignIn(subject)).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    },
  )

  test('can sign in again after coming back, to the same account, but what ended stays ended', async () => {
    const id = await scim.user('returner')
    const cookie = await scim.signIn('returner')
    const key = await keyFor('returner')
    ok(await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } }))
    await expect.poll(() => scim.statusOfKey(key), { timeout: 6_000 }).toBe(401)
    ok(await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } }))
    const again = must(await scim.world.whoami(await scim.signIn('returner'))).body
    expect(again['account']).toBe('returner@acme.example.com')
    expect([await scim.statusOf(cookie), await scim.statusOfKey(key)]).toEqual([401, 401])
    ok(await scim.send('DELETE', `/Users/${id}`))
    expect((await scim.tryToSignIn('returner')).reason).toBe('SIGN_IN_REFUSED')
    await scim.user('returner')
    expect(await scim.statusOf(await scim.signIn('returner'))).toBe(200)
  })

  test('whom the directory deactivates again loses the keys that they got meanwhile', async () => {
    const id = await scim.user('again')
    await scim.signIn('again')
    ok(await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } }))
    const key = await keyFor('again')
    expect(await scim.statusOfKey(key)).toBe(200)
    ok(await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } }))
    await expect.poll(() => scim.statusOfKey(key), { timeout: 6_000 }).toBe(401)
  })

  test('is recognised by a user name in any case, but not by one that only looks the same', async () => {
    const named = await ScimWorld.start({}, { userAttribute: 'userName', claim: 'name', onlyListed: false })
    const early = await named.signIn('kate', { name: 'Kate' })
    const id = await named.user('kate', { userName: 'KATE', externalId: '' })
    const fake = await named.signIn('fake', { name: '\u212Aate' })
    ok(await named.send('DELETE', `/Users/${id}`))
    expect([await named.statusOf(early), await named.statusOf(fake)]).toEqual([401, 200])
    await named.close()
  })

  test('who left while they signed in is not let in', async () => {
    const id = await scim.user('racer')
    scim.issuer.meanwhile = () => scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
    expect((await scim.tryToSignIn('racer')).reason).toBe('SIGN_IN_REFUSED')
    scim.issuer.reset()
  })

  test('keeps nobody else out: others of the same name and provider stay', async () => {
    const [stays, goes] = [await scim.user('stays'), await scim.user('goes')]
    const cookie = await scim.signIn('stays')
    await scim.signIn('goes')
    const other = must(
      await scim.tenant.admin.write('token', 'namesake', {
        account: 'goes@acme.example.com',
        role: 'viewer',
      }),
    ).document['key']
    ok(await scim.send('DELETE', `/Users/${goes}`))
    expect(stays).not.toBe(goes)
    expect([await scim.statusOf(cookie), await scim.statusOfKey(String(other))]).toEqual([200, 200])
  })
})

describe('the last admin', () => {
  test('cannot be deactivated, deleted or demoted by a directory', async () => {
    const lone = await ScimWorld.start({ roles: [{ claim: 'groups', value: 'Admins', role: 'admin' }] })
    const id = await lone.user('boss')
    const group = await lone.group('Admins', id)
    const cookie = await lone.signIn('boss')
    const tokens = must(await lone.tenant.operator.get('/v1/catalog/token')).body['entries'] as {
      name: string
    }[]
    for (const { name } of tokens) {
      const revoked = { revoked: true }
      const fields = { updateMask: 'revoked', justification: 'a test' }
      await lone.tenant.operator.write('token', name, revoked, fields)
    }
    const refusal = { status: 409, body: { detail: expect.stringContaining('break-glass') as string } }
    expect(await lone.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })).toMatchObject(
      refusal,
    )
    expect(await lone.send('DELETE', `/Users/${id}`)).toMatchObject(refusal)
    expect(await lone.patch(`/Groups/${group}`, { op: 'remove', path: 'members' })).toMatchObject(refusal)
    expect(await lone.send('DELETE', `/Groups/${group}`)).toMatchObject(refusal)
    expect(await lone.statusOf(cookie)).toBe(200)
    await lone.close()
  })
})

describe('what a leaver leaves behind', () => {
  let agents: AgentWorld
  let stop: () => Promise<void>

  beforeAll(async () => {
    agents = await AgentWorld.in(scim.server, scim.tenant)
    stop = scim.server.startAutomations()
  })

  afterAll(() => stop())

  async function spawn(client: TestClient, workspace: string, name: string) {
    return agents.spawn(name, { agentId: { workspace } }, client)
  }

  test('agents are killed, documents revoked and automations paused, and an admin sees which', async () => {
    must(await scim.tenant.admin.write('workspace', 'shop', {}))
    must(await scim.tenant.admin.write('profile', 'night', {}))
    const id = await scim.user('owner')
    await scim.signIn('owner')
    const client = scim.tenant.client(await keyFor('owner', 'admin'))
    const agent = await spawn(client, 'shop', 'long')
    const run = await agents.take(agent)
    const child = await agents.spawn(['long', 'child'], { agentId: { workspace: 'shop' } }, client)
    const spawnFields = { profile: 'night', workspace: 'shop', spawn: { description: 'Tidy up.' } }
    must(await client.write('schedule', 'nightly', { every: '86400s', ...spawnFields }))
    must(await client.write('trigger', 'tickets', spawnFields))
    must(await client.write('trigger', 'taken-over', spawnFields))
    must(await scim.tenant.admin.write('trigger', 'taken-over', { ...spawnFields, description: 'Mine now.' }))
    const named = { account: 'owner@acme.example.com', role: 'admin' }
    const namesake = must(await scim.tenant.admin.write('token', 'namesake-admin', named))
    const other = scim.tenant.client(String(namesake.document['key']))
    must(await other.write('trigger', 'of-namesake', spawnFields))
    must(await client.write('token', 'deploy-bot', { account: 'robot', role: 'member' }))
    must(await client.write('token', 'ended-bot', { account: 'robot', role: 'member', revoked: true }))

    ok(await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' }))
    await waitFor(async () => (await agents.phase(agent)) === 'PHASE_CANCELED', {
      what: 'the agent to be killed',
    })
    expect(await agents.phase(child)).toBe('PHASE_CANCELED')
    const beat = must(await agents.runner.post('/v1/runner/heartbeat', { runs: [{ lease: run.lease }] }))
    expect(beat.text).toMatch(/kill|lost|KILL|LOST/)
    const paused = [
      { kind: 'schedule', name: 'nightly' },
      { kind: 'trigger', name: 'tickets' },
    ]
    await waitFor(
      async () => must(await scim.tenant.admin.read('trigger', 'tickets')).document['paused'] === true,
      { what: 'the trigger to be paused' },
    )
    const minted = [{ kind: 'token', name: 'deploy-bot' }]
    await waitFor(async () => (await leaverOf('owner'))?.['minted']?.toString() !== '', { what: 'the list' })
    expect(await leaverOf('owner')).toMatchObject({
      directory: 'sso',
      killedAgents: 2,
      paused,
      minted,
      problem: '',
    })
    expect(must(await scim.tenant.admin.read('trigger', 'of-namesake')).document['paused']).toBe(false)
    expect(must(await scim.tenant.admin.read('schedule', 'nightly')).document['paused']).toBe(true)
    expect(must(await scim.tenant.admin.read('trigger', 'taken-over')).document['paused']).toBe(false)
    expect(must(await scim.tenant.admin.read('token', 'admin-of-owner')).document['revoked']).toBe(true)
    const audit = must(await scim.tenant.admin.get('/v1/audit?operation=killAgent')).text
    expect(audit).toContain('owner@acme.example.com has left.')
  })

  test('with hand-over, agents in the workspaces of a team go on, and the others end', async () => {
    const { admin } = scim.tenant
    must(
      await admin.write('directory', 'sso', { leaversAgents: 'hand-over' }, { updateMask: 'leaversAgents' }),
    )
    const id = await scim.user('giver')
    await scim.signIn('giver')
    const client = scim.tenant.client(await keyFor('giver', 'admin'))
    const [kept, ended] = [await spawn(client, 'billing', 'kept'), await spawn(client, 'shop', 'ended')]
    ok(await scim.send('DELETE', `/Users/${id}`))
    await waitFor(async () => (await agents.phase(ended)) === 'PHASE_CANCELED', {
      what: 'the agent to be killed',
    })
    await waitFor(async () => (await leaverOf('giver'))?.['killedAgents'] === 1, { what: 'the list' })
    expect(await agents.phase(kept)).not.toBe('PHASE_CANCELED')
  })
})

describe('a directory that is deleted and written again', () => {
  test('starts empty, with other users of the same names, and retention deletes the old ones', async () => {
    const first = await ScimWorld.start({}, { onlyListed: true })
    const { admin } = first.tenant
    const old = await first.user('kim')
    await first.group('Staff', old)
    ok(await first.patch(`/Users/${old}`, { op: 'replace', value: { active: false } }))
    for (let round = 0; round < 2; round += 1) {
      must(await admin.delete('/v1/catalog/directory/sso'))
      const key = String(must(await admin.write('directory', 'sso', {})).document['key'])
      const listed = await first.send('GET', '/Users', undefined, key)
      expect(listed.body).toMatchObject({ totalResults: 0 })
      expect((await first.send('GET', `/Users/${old}`, undefined, key)).status).toBe(404)
      expect((await first.send('GET', '/Groups', undefined, key)).body).toMatchObject({ totalResults: 0 })
      const again = { userName: 'kim', externalId: 'kim', active: true }
      expect((await first.send('POST', '/Users', again, key)).status).toBe(201)
    }
    const { database } = first.server.engine
    const options = { isStopped: () => false, onError: (error: unknown) => expect.unreachable(String(error)) }
    await removeExpired(database, { leavers: Date.now() }, options)
    const names = await database.forTenant(first.tenant.id, (transaction) =>
      transaction.query('select list from directory_user u join directory_list l on l.list = u.directory'),
    )
    expect(names.rows).toHaveLength(1)
    const left = await database.forTenant(first.tenant.id, (transaction) =>
      transaction.query('select from directory_user union all select from directory_group'),
    )
    expect(left.rows).toHaveLength(1)
    await first.close()
  })
})

describe('accounts that a leaver linked', () => {
  test('end with the one that the directory lists, and come back with it', async () => {
    const host = await FakeCodeHost.start('gitea', { lin: { id: 7, login: 'lin', groups: ['acme'] } })
    await describeHost(scim.world, host)
    await scim.world.provide('code', { codeHost: 'host', organizations: ['acme'] })
    const atHost = async () => {
      const { url, cookie } = await scim.world.start('code')
      return scim.world.finish(await visitFake(url, 'lin'), cookie)
    }
    const id = await scim.user('linker')
    const session = await scim.signIn('linker')
    must(await new LinkWorld(scim.world).tryToLink(session, 'code', 'lin'))
    const other = cookiePair(must(await atHost()), 'skein')
    const { document } = must(
      await scim.tenant.admin.write('token', 'lins-script', {
        account: 'lin',
        ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
        role: 'member',
      }),
    )
    const setActive = (value: boolean) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value })
    ok(await setActive(false))
    expect([await scim.statusOf(session), await scim.statusOf(other)]).toEqual([401, 401])
    await waitFor(async () => (await scim.statusOfKey(String(document['key']))) === 401, {
      what: 'the key to end',
    })
    expect(must(await scim.tenant.admin.get('/v1/leavers')).text).toContain('"account":"lin"')
    expect(await atHost()).toMatchObject({ status: 403, reason: 'SIGN_IN_REFUSED' })
    // Said again, it is no news.
    const before = must(await scim.tenant.admin.get('/v1/leavers')).text
    ok(await setActive(false))
    expect(must(await scim.tenant.admin.get('/v1/leavers')).text).toBe(before)
    ok(await setActive(true))
    expect(await scim.statusOf(cookiePair(must(await atHost()), 'skein'))).toBe(200)
    await host.close()
  })
})
