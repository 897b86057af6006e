import { PAGE_SECRET, type TestAnswer } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { cookieOf, SAME_ORIGIN } from '../browser.ts'
import { dumpDatabase } from '../database-dump.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start({ settings: { SKEIN_SIGN_INS_PER_MINUTE: '0' } })
  must(await world.admin.write('team', 'payments', {}))
  must(await world.admin.write('workspace', 'billing', { team: 'payments' }))
})

beforeEach(() => world.sql('delete from invitation'))

afterAll(() => world.close())

async function invite(fields: object = {}): Promise<{ code: string; id: string }> {
  const { body } = must(await world.admin.post('/v1/invitations', { role: 'member', ...fields }))
  const { invitation, url } = body as { invitation: { id: string }; url: string }
  return { code: new URL(url).hash.slice(1), id: invitation.id }
}

const read = (code: string): Promise<TestAnswer> =>
  world.server.anonymous.post('/v1/invitation', { code }, { headers: SAME_ORIGIN })

const accept = (code: string, account: string): Promise<TestAnswer> =>
  world.server.anonymous.post(
    '/v1/invitation/accept',
    { code, account, pageSecret: PAGE_SECRET },
    { headers: SAME_ORIGIN },
  )

const tryToInvite = (fields: object): Promise<TestAnswer> =>
  world.admin.post('/v1/invitations', { role: 'member', ...fields })

const list = async () =>
  must(await world.admin.get('/v1/invitations')).body['invitations'] as Record<string, unknown>[]

describe('an invited person', () => {
  test('sees what they are invited to, chooses a name, and has a session, a key and a place in the team', async () => {
    const { code } = await invite({ team: 'payments', description: 'Grace' })
    expect(must(await read(code)).body).toMatchObject({ role: 'member', team: 'payments', invitedBy: 'ada' })
    const answer = must(await accept(code, 'grace'))
    expect(answer.body).toMatchObject({ identity: { account: 'grace', role: 'member', token: 'grace' } })
    const headers = { cookie: cookieOf(answer), ...SAME_ORIGIN }
    expect((await world.server.anonymous.read('workspace', 'billing', { headers })).status).toBe(200)
    const client = world.tenant.client(String(answer.body['apiKey']))
    expect(must(await client.get('/v1/whoami')).body).toMatchObject({ account: 'grace' })
    expect((await list())[0]).toMatchObject({ state: 'accepted', account: 'grace', description: 'Grace' })
    const audit = must(await world.admin.get('/v1/audit?kind=invitation')).text
    for (const operation of ['createInvitation', 'acceptInvitation']) expect(audit).toContain(operation)
    must(await world.admin.write('token', 'grace', { account: 'grace', role: 'member', revoked: true }))
    expect((await world.server.anonymous.get('/v1/whoami', { headers })).status).toBe(401)
  })

  test('can use the link once, also if two open it at once', async () => {
    const { code } = await invite()
    const answers = await Promise.all([accept(code, 'first'), accept(code, 'second')])
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404'])
    expect(await accept(code, 'third')).toMatchObject({ status: 404, reason: 'INVITATION_NOT_FOUND' })
    expect(await read(code)).toMatchObject({ status: 404 })
    expect(await world.sql(`select from api_key where account in ('first', 'second', 'third')`)).toHaveLength(
      1,
    )
  })

  test('cannot take a name that has keys, agents or a place in a team, or that is none, and can try another', async () => {
    must(await world.admin.write('team', 'website', { members: [{ account: 'waited-for', role: 'lead' }] }))
    await world.spawn('built', { agentId: { account: 'builder' } })
    const { code } = await invite()
    for (const account of ['ada', 'waited-for', 'builder']) {
      expect(await accept(code, account)).toMatchObject({ status: 409, reason: 'ACCOUNT_TAKEN' })
    }
    for (const account of ['', 'Ada', 'a b', 'é', 'x\u0000', 'x'.repeat(64), 'a/b']) {
      expect((await accept(code, account)).status).toBe(400)
    }
    must(await accept(code, 'somebody-new'))
  })

  test('never has an account in the namespace of an identity provider, where a later sign-in would share it', async () => {
    const document = { account: 'ida', ownerProvider: 'PROVIDER_IDP_OIDC', role: 'admin' }
    const { document: written } = must(await world.admin.write('token', 'ida', document))
    const ida = world.tenant.client(String(written['key']))
    const { url } = must(await ida.post('/v1/invitations', { role: 'member' })).body
    const answer = must(await accept(new URL(String(url)).hash.slice(1), 'not-yet-signed-in'))
    expect(answer.body).toMatchObject({ identity: { ownerProvider: 'PROVIDER_CODEHOST_OAUTH' } })
  })

  test('of two who choose the same name at once, one gets it', async () => {
    const codes = [await invite(), await invite()]
    const answers = await Promise.all(codes.map(({ code }) => accept(code, 'popular')))
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409'])
    expect((await list()).map(({ state }) => String(state)).toSorted()).toEqual(['accepted', 'open'])
  })
})

describe('an invitation', () => {
  test('ends when it expires, is revoked, or its team is deleted', async () => {
    const [expired, revoked] = [await invite({ expiresIn: '60s' }), await invite()]
    await world.sql(`update invitation set expires_at = now() - interval '1 second' where id = $1`, [
      expired.id,
    ])
    must(await world.admin.delete(`/v1/invitations/${revoked.id}`))
    expect(await world.admin.delete(`/v1/invitations/${revoked.id}`)).toMatchObject({ status: 404 })
    for (const { code } of [expired, revoked]) expect((await accept(code, 'late')).status).toBe(404)
    expect((await list()).map(({ state }) => state)).toEqual(['revoked', 'expired'])
    must(await world.admin.write('team', 'gone', {}))
    const { code } = await invite({ team: 'gone' })
    must(await world.admin.delete('/v1/catalog/team/gone'))
    expect(await accept(code, 'late')).toMatchObject({ reason: 'INVITATION_NOT_FOUND' })
  })

  test('is refused for a team that is not there, a role that cannot be given and a time out of bounds', async () => {
    expect(await tryToInvite({ team: 'nobody' })).toMatchObject({ status: 400, fields: ['team'] })
    for (const role of ['operator', 'runner', 'guest']) expect((await tryToInvite({ role })).status).toBe(400)
    for (const expiresIn of ['1s', '2592001s', 'soon']) {
      expect(await tryToInvite({ expiresIn })).toMatchObject({ status: 400, fields: ['expiresIn'] })
    }
    expect((await tryToInvite({ description: 'x'.repeat(201) })).status).toBe(400)
  })

  test('is one of at most 100 that are open, also if many are created at once', async () => {
    await world.sql(
      `insert into invitation (tenant_id, id, secret_sha256, owner_provider, role, team, description, created_by,
         created_at, expires_at)
       select $1, gen_random_uuid(), sha256(n::text::bytea), 'PROVIDER_CODEHOST_OAUTH', 'member', '', '', 'admin',
         now(), now() + interval '1 day' from generate_series(1, 98) as n`,
      [world.tenant.id],
    )
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.admin.post('/v1/invitations', { role: 'viewer' })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({ reason: 'INVITATION_LIMIT' })
  })

  test('of another tenant cannot be seen or revoked, and its code is stored and logged nowhere', async () => {
    const { code, id } = await invite()
    const other = await world.server.createTenant('elsewhere')
    expect(must(await other.admin.get('/v1/invitations')).body['invitations']).toEqual([])
    expect((await other.admin.delete(`/v1/invitations/${id}`)).status).toBe(404)
    expect((await read(`ski_${'A'.repeat(43)}`)).status).toBe(404)
    must(await read(code))
    const stored = await dumpDatabase(world.server.database)
    expect(stored + world.server.logLines.join('\n')).not.toContain(code.slice(4))
  })
})
