import { OPERATIONS, type AgentId, type Operation } from '@skein/contract'
import { PAGE_SECRET, TestClock, waitFor, type TestAnswer, type TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'
import { AgentWorld, must } from './agent-world.ts'

const HOUR_MS = 3_600_000
const clock = new TestClock(Date.now())
let world: AgentWorld
let shown: AgentId
let child: AgentId
let guest: TestClient

beforeAll(async () => {
  world = await AgentWorld.start({ clock })
  await world.admin.write('workspace', 'shop', {})
  shown = await world.spawn('shown', { agentId: { workspace: 'shop' } })
  child = await world.spawn(['shown', 'child'], { agentId: { workspace: 'shop' } })
  guest = await createLink('customer', { description: 'For the customer.' })
})

afterAll(() => world.close())

async function createLink(name: string, fields: object = {}, to = world): Promise<TestClient> {
  const link = { workspace: 'shop', agent: ['shown'], account: 'ada', ...fields }
  const answer = must(await to.admin.write('share-link', name, link))
  return to.tenant.client(String(answer.document['key']))
}

test('a link whose fields are not what they should be is refused', async () => {
  const hostile = { workspace: 'shop', agent: ['shown'], account: ['a', { toString: 'no function' }] }
  expect(await world.admin.write('share-link', 'hostile', hostile)).toMatchObject({
    status: 400,
    reason: 'DOCUMENT_INVALID',
    fields: ['account'],
  })
})

const readShare = (client: TestClient) => client.get('/v1/share')

describe('the holder of a share link', () => {
  test('is told what it shows, and who they are', async () => {
    expect((await readShare(guest)).body).toEqual({
      agentId: shown,
      description: 'For the customer.',
      expireTime: '',
    })
    expect((await guest.get('/v1/whoami')).body).toMatchObject({ role: 'guest', token: 'customer' })
  })

  test.each(['status', 'timeline', 'tasks'])('sees the %s of its agent as its owner does', async (path) => {
    const body = { agentId: shown }
    const [mine, theirs] = [
      await guest.post(`/v1/agent/${path}`, body),
      await world.admin.post(`/v1/agent/${path}`, body),
    ]
    expect(mine.status).toBe(200)
    expect(mine.body).toEqual(theirs.body)
  })

  test('can wait for its agent', async () => {
    const headers = { prefer: 'wait=0' }
    const answer = await guest.post('/v1/agent/wait', { agentId: shown }, { headers })
    expect(answer.body).toMatchObject({ status: { agentId: shown } })
  })

  test('sees no other agent: not a child, not a neighbour, not one of another tenant', async () => {
    const neighbour = await world.spawn('neighbour', { agentId: { workspace: 'shop' } })
    const rival = await AgentWorld.in(world.server, await world.server.createTenant())
    await rival.admin.write('workspace', 'shop', {})
    const foreign = await rival.spawn('shown', { agentId: { workspace: 'shop' } })
    const nobody = { ...shown, agent: ['nobody'] }
    for (const path of ['status', 'timeline', 'tasks', 'wait', 'watch']) {
      const missing = await guest.post(`/v1/agent/${path}`, { agentId: nobody })
      expect(missing).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
      for (const agentId of [child, neighbour, foreign, { ...shown, account: 'bob' }]) {
        expectSameAnswer(await guest.post(`/v1/agent/${path}`, { agentId }), missing)
      }
    }
  })

  test('of the same name in another tenant sees that tenant’s agent', async () => {
    const rival = await AgentWorld.in(world.server, await world.server.createTenant())
    await rival.admin.write('workspace', 'shop', {})
    const foreign = await rival.spawn('shown', { agentId: { workspace: 'shop' } })
    const other = await createLink('customer', {}, rival)
    expect((await readShare(other)).body['agentId']).toEqual(foreign)
    expect((await other.post('/v1/agent/status', { agentId: shown })).status).toBe(404)
  })

  const OPEN = new Set<string>([
    'whoami',
    'getPermissions',
    'readShare',
    'agentStatus',
    'waitForAgent',
    'listTasks',
    'readTimeline',
    'watchAgent',
  ])
  const all: readonly Operation[] = OPERATIONS
  const closed = all.filter(({ id, permission }) => permission !== 'none' && !OPEN.has(id))

  test.each(closed.map((operation) => [operation.id, operation] as const))(
    'is refused %s, about its own agent too',
    async (_id, { method, path, example }) => {
      const request = example.request === undefined ? undefined : { ...asObject(example.request) }
      const own = request && ('agentId' in request ? { ...request, agentId: shown } : request)
      const answer = await guest.send(method, example.path ?? path, own)
      expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    },
  )

  test('cannot sign in with it', async () => {
    const answer = await guest.post('/v1/session', { apiKey: guest.key, pageSecret: PAGE_SECRET })
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test('is refused when the link is sent as if it were an API key', async () => {
    const disguised = world.tenant.client((guest.key ?? '').replace('skl_', 'skn_'))
    expect((await disguised.get('/v1/whoami')).status).toBe(401)
  })
})

describe('a share link', () => {
  test('shows an agent that is spawned after it, and says until then that there is none', async () => {
    const early = await createLink('early', { agent: ['later'] })
    const agentId = { ...shown, agent: ['later'] }
    expect((await readShare(early)).body['agentId']).toEqual(agentId)
    expect((await early.post('/v1/agent/status', { agentId })).status).toBe(404)
    await world.spawn('later', { agentId: { workspace: 'shop' } })
    expect((await early.post('/v1/agent/status', { agentId })).status).toBe(200)
  })

  test('that leads to another agent now shows that one, and no longer the first, within 5 seconds', async () => {
    const moved = await createLink('moved')
    expect((await readShare(moved)).body['agentId']).toEqual(shown)
    const fields = { agent: ['shown', 'child'] }
    must(await world.admin.write('share-link', 'moved', fields, { updateMask: 'agent' }))
    const status = (agentId: AgentId) => moved.post('/v1/agent/status', { agentId })
    await waitFor(async () => (await status(child)).status === 200, { what: 'the child', timeoutMs: 5_000 })
    expect((await status(shown)).status).toBe(404)
  })

  test('is refused from the very millisecond that it expires', async () => {
    const expireTime = new Date(clock.now() + HOUR_MS).toISOString()
    const link = await createLink('expiring', { expireTime })
    clock.advance(HOUR_MS - 1)
    expect((await readShare(link)).body['expireTime']).toBe(expireTime)
    clock.advance(1)
    expect(await readShare(link)).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test.each([
    ['revoked', (name: string) => revoke(name)],
    ['deleted', (name: string) => world.admin.delete(`/v1/catalog/share-link/${name}`)],
  ])('that was %s is refused within 5 seconds by a server that has just accepted it', async (what, end) => {
    const link = await createLink(what)
    expect((await readShare(link)).status).toBe(200)
    must(await end(what))
    const status = () => link.post('/v1/agent/status', { agentId: shown })
    await waitFor(async () => (await status()).status === 401, { what: 'the end', timeoutMs: 5_000 })
    expect((await readShare(link)).reason).toBe('CREDENTIAL_INVALID')
  })

  test('that was deleted stays refused once a link of the same name exists again', async () => {
    const link = await createLink('again')
    must(await world.admin.delete('/v1/catalog/share-link/again'))
    const successor = await createLink('again')
    expect([(await readShare(link)).status, (await readShare(successor)).status]).toEqual([401, 200])
  })

  test('has its own limit, separate from a token with the same name', async () => {
    const limited = await AgentWorld.start({ settings: { SKEIN_CALLER_REQUESTS_PER_MINUTE: '5' } })
    must(await limited.admin.write('workspace', 'shop', {}))
    const link = await createLink('admin', {}, limited)
    for (let count = 0; count < 6; count++) await readShare(link)
    expect((await readShare(link)).status).toBe(429)
    expect((await limited.admin.get('/v1/whoami')).status).toBe(200)
    await limited.close()
  })

  test('leaves its key in no log', async () => {
    await readShare(guest)
    const secret = (guest.key ?? '').split('.')[1] ?? ''
    expect(world.server.logLines.some((line) => line.includes(secret))).toBe(false)
  })
})

function revoke(name: string): Promise<TestAnswer> {
  return world.admin.write('share-link', name, { revoked: true }, { updateMask: 'revoked' })
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
