import type { AgentEntry, AgentId, FleetEntry } from '@skein/contract'
import { startTestServer, TestClient, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'
import { expectSameAnswer } from '../same-answer.ts'

let server: AgentWorld['server']
let world: AgentWorld
let ann: TestClient
let bob: TestClient

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

/** Ann is in red, bob in blue; each team has a workspace, and `open` belongs to everyone. */
beforeEach(async () => {
  world = await AgentWorld.in(server, await server.createTenant())
  await team('red', [{ account: 'ann' }])
  await team('blue', [{ account: 'bob' }])
  await workspace('red-one', 'red')
  await workspace('blue-one', 'blue')
  await workspace('open', '')
  ann = await world.tenant.as('member', 'ann')
  bob = await world.tenant.as('member', 'bob')
})

const team = async (name: string, members: readonly object[]) =>
  must(await world.admin.write('team', name, { members }))
const workspace = async (name: string, ofTeam: string) =>
  must(await world.admin.write('workspace', name, { team: ofTeam }))
const spawnIn = (place: string, name: string, by = world.admin): Promise<AgentId> =>
  world.spawn(name, { agentId: { workspace: place } }, by)

async function listed(by: TestClient, fields: object = {}): Promise<string[]> {
  const { entries } = must(await by.post('/v1/agents', { account: '*', ...fields })).body as {
    entries: AgentEntry[]
  }
  return entries.map(({ agentId }) => agentId.agent.join('/'))
}

async function fleet(by: TestClient, fields: object = {}): Promise<string[]> {
  const answer = must(await by.post('/v1/fleet', { account: '*', ...fields })).body as {
    entries: FleetEntry[]
  }
  return answer.entries.map(({ agentId }) => agentId.agent.join('/'))
}

const summary = async (by: TestClient) => must(await by.post('/v1/fleet/summary', { account: '*' })).body
const spawnBy = (by: TestClient, place: string, owner: { readonly account?: string } = {}) =>
  by.post('/v1/agent/spawn', { agentId: { workspace: place, agent: ['x'], ...owner }, description: 'x' })
const namesIn = (listing: unknown) => (listing as { name: string }[]).map(({ name }) => name)
const teamsOf = async (by: TestClient) => namesIn(must(await by.get('/v1/catalog/team')).body['entries'])
const integrationsOf = async (by: TestClient) =>
  namesIn(must(await by.get('/v1/integrations')).body['integrations'])

describe('the agents of a team', () => {
  test('are in no list of others, whatever they filter by', async () => {
    await spawnIn('red-one', 'r1')
    await spawnIn('blue-one', 'b1')
    await spawnIn('open', 'o1')
    await world.kill(await spawnIn('red-one', 'r2'))
    const everything = { includeTerminal: true }
    expect(await listed(world.admin, everything)).toEqual(['r2', 'o1', 'b1', 'r1'])
    expect(await listed(ann, everything)).toEqual(['r2', 'o1', 'r1'])
    expect(await listed(bob, everything)).toEqual(['o1', 'b1'])
    expect(await listed(bob, { account: 'ada', ...everything })).toEqual(['o1', 'b1'])
    expect(await fleet(ann)).toEqual(['o1', 'r1'])
    expect(await fleet(bob, everything)).toEqual(['o1', 'b1'])
    expect(await fleet(bob, { workspace: 'red-one', ...everything })).toEqual([])
    expect(await fleet(bob, { account: 'ada', ...everything })).toEqual(['o1', 'b1'])
    expect(await fleet(world.admin)).toEqual(['o1', 'b1', 'r1'])
  })

  test('do not shorten the pages of others', async () => {
    for (let index = 0; index < 6; index++)
      await spawnIn(index % 2 === 0 ? 'red-one' : 'blue-one', `a${index}`)
    for (const path of ['/v1/agents', '/v1/fleet']) {
      const first = must(await bob.post(path, { account: '*', pageSize: 2 })).body
      expect((first['entries'] as AgentEntry[]).map(({ agentId }) => agentId.agent[0])).toEqual(['a5', 'a3'])
      const pageToken = first['nextPageToken']
      const second = must(await bob.post(path, { account: '*', pageSize: 2, pageToken })).body
      expect((second['entries'] as AgentEntry[]).map(({ agentId }) => agentId.agent[0])).toEqual(['a1'])
      expect(second['nextPageToken']).toBe('')
    }
  })

  test('are not counted for others', async () => {
    await spawnIn('red-one', 'r1')
    await spawnIn('blue-one', 'b1')
    expect((await summary(bob))['workspaces']).toEqual([{ workspace: 'blue-one', agents: 1, cost: 0 }])
    expect(await summary(bob)).toMatchObject({
      phases: [{ phase: 'PHASE_PENDING', agents: 1 }, {}, {}, {}, {}, {}],
    })
    expect((await summary(world.admin))['workspaces']).toHaveLength(2)
  })

  test('are found by those who see more workspaces than are looked into one by one', async () => {
    for (let index = 0; index < 70; index++) await workspace(`w-${index}`, '')
    await spawnIn('red-one', 'r1')
    await spawnIn('blue-one', 'b1')
    await world.kill(await spawnIn('w-3', 'gone'))
    for (const list of [listed, fleet]) {
      expect(await list(bob)).toEqual(['b1'])
      expect(await list(bob, { includeTerminal: true })).toEqual(['gone', 'b1'])
    }
  })

  test('are driven by a lead, and only read by a viewer of the team', async () => {
    await team('red', [
      { account: 'ann', role: 'lead' },
      { account: 'bob', role: 'viewer' },
    ])
    const agentId = await spawnIn('red-one', 'r1')
    expect((await world.queue(agentId, {}, ann)).status).toBe(200)
    expect((await bob.post('/v1/agent/status', { agentId })).status).toBe(200)
    expect(await world.queue(agentId, {}, bob)).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    const spawned = await bob.post('/v1/agent/spawn', { agentId: { workspace: 'red-one' }, description: 'x' })
    expect(spawned).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    const open = await spawnIn('open', 'o1')
    expect((await world.queue(open, {}, ann)).status).toBe(403)
  })
})

test('permissions say what a member may do in the workspaces of its teams', async () => {
  await team('red', [
    { account: 'ann', role: 'lead' },
    { account: 'bob', role: 'viewer' },
  ])
  const anns = must(await ann.get('/v1/permissions')).body['workspaces'] as Record<string, unknown>[]
  expect(anns).toMatchObject([{ workspace: 'red-one', team: 'red' }])
  expect(anns[0]?.['permissions']).toContain('agent.drive-any')
  const bobs = must(await bob.get('/v1/permissions')).body['workspaces'] as Record<string, unknown>[]
  expect(new Set(bobs.map(({ workspace: name }) => name))).toEqual(new Set(['blue-one', 'red-one']))
  expect(bobs.find(({ team: name }) => name === 'red')?.['permissions']).not.toContain('agent.drive')
  expect(must(await world.admin.get('/v1/permissions')).body['workspaces']).toEqual([])
})

describe('a workspace of a team', () => {
  test('is for others like one that does not exist', async () => {
    const [hidden, missing] = [await spawnBy(bob, 'red-one'), await spawnBy(bob, 'red-two')]
    expect(hidden).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    expect(hidden.text.replaceAll('red-one', 'W')).toBe(missing.text.replaceAll('red-two', 'W'))
    // Nor do what bob may do there, and whether the agent exists already, tell it.
    await spawnIn('red-one', 'x')
    const [ofHidden, ofMissing] = await Promise.all(
      ['red-one', 'red-two'].map((place) => spawnBy(bob, place, { account: 'ann' })),
    )
    expect(ofHidden?.status).toBe(ofMissing?.status)
    expect(ofHidden?.text.replaceAll('red-one', 'W')).toBe(ofMissing?.text.replaceAll('red-two', 'W'))
    for (const path of ['', '/history']) {
      const [one, two] = [
        await bob.get(`/v1/catalog/workspace/red-one${path}`),
        await bob.get(`/v1/catalog/workspace/red-two${path}`),
      ]
      expect(one.status).toBe(404)
      expect(one.text.replaceAll('red-one', 'W')).toBe(two.text.replaceAll('red-two', 'W'))
    }
  })

  test('is not chosen for those who cannot see it', async () => {
    const other = await AgentWorld.in(server, await server.createTenant())
    must(await other.admin.write('team', 'red', { members: [{ account: 'ann' }] }))
    must(await other.admin.write('workspace', 'only-one', { team: 'red' }))
    const placed = async (account: string) =>
      (await other.spawn('a', {}, await other.tenant.as('member', account))).workspace
    expect(await placed('ann')).toBe('only-one')
    expect(await placed('bob')).toBe('default')
  })

  test('takes its agents along when it moves, and leaves them with the team when it is deleted', async () => {
    const agentId = await spawnIn('red-one', 'r1')
    const seenBy = async (by: TestClient) => (await by.post('/v1/agent/status', { agentId })).status
    expect([await seenBy(ann), await seenBy(bob)]).toEqual([200, 404])
    await workspace('red-one', 'blue')
    expect([await seenBy(ann), await seenBy(bob)]).toEqual([404, 200])
    await world.kill(agentId)
    must(await world.admin.delete('/v1/catalog/workspace/red-one'))
    expect([await seenBy(ann), await seenBy(bob)]).toEqual([404, 200])
    expect(await listed(ann, { includeTerminal: true })).toEqual([])
    expect(await listed(bob, { includeTerminal: true })).toEqual(['r1'])
    expect((await ann.get('/v1/catalog/workspace/red-one/history')).status).toBe(404)
  })

  test('keeps its team from being deleted', async () => {
    const refused = await world.admin.delete('/v1/catalog/team/red')
    expect(refused).toMatchObject({ status: 400, reason: 'RESOURCE_REFERENCED' })
    await workspace('red-one', '')
    must(await world.admin.delete('/v1/catalog/team/red'))
    expect((await bob.get('/v1/catalog/workspace/red-one')).status).toBe(200)
  })

  test('needs a team that exists', async () => {
    const refused = await world.admin.write('workspace', 'x', { team: 'green' })
    expect(refused).toMatchObject({ status: 400, fields: ['team'] })
  })
})

describe('a team', () => {
  test('lists nobody twice, but the same name of two providers', async () => {
    const twice = await world.admin.write('team', 'red', {
      members: [{ account: 'ann' }, { account: 'ann' }],
    })
    expect(twice).toMatchObject({ status: 400, fields: ['members[1].account'] })
    const members = [{ account: 'ann' }, { account: 'ann', ownerProvider: 'PROVIDER_IDP_OIDC' }]
    expect((await world.admin.write('team', 'red', { members })).status).toBe(200)
  })

  test('is about accounts of one provider: the same name under another is somebody else', async () => {
    await team('red', [{ account: 'ann', ownerProvider: 'PROVIDER_IDP_OIDC' }])
    expect((await ann.get('/v1/catalog/workspace/red-one')).status).toBe(404)
  })

  test('is seen by its members and by admins', async () => {
    expect([await teamsOf(ann), await teamsOf(bob), await teamsOf(world.admin)]).toEqual([
      ['red'],
      ['blue'],
      ['blue', 'red'],
    ])
    expect((await bob.get('/v1/catalog/team/red')).status).toBe(404)
  })

  test('does not concern tenants that have none', async () => {
    const other = await AgentWorld.in(server, await server.createTenant())
    must(await other.admin.write('workspace', 'shop', {}))
    const carol = await other.tenant.as('viewer', 'carol')
    await other.spawn('a', { agentId: { workspace: 'shop' } })
    expect(await listed(carol)).toEqual(['a'])
    expect((await carol.get('/v1/runners')).status).toBe(200)
  })
})

describe('what refers to workspaces', () => {
  test('an integration for all workspaces is seen by those who see all', async () => {
    const url = 'https://hooks.example.com/skein'
    must(await world.admin.write('integration', 'everything', { url, disabled: true }))
    must(
      await world.admin.write('integration', 'blue-only', { url, workspaces: ['blue-one'], disabled: true }),
    )
    expect(await integrationsOf(world.admin)).toEqual(['blue-only', 'everything'])
    expect(await integrationsOf(bob)).toEqual(['blue-only'])
    expect(await integrationsOf(ann)).toEqual([])
    expect((await bob.get('/v1/integrations/everything/deliveries')).status).toBe(404)
  })

  test('versions of a document from when it was about a hidden workspace are not in its history', async () => {
    must(await world.admin.write('profile', 'night', {}))
    const schedule = { every: '86400s', profile: 'night', spawn: { description: 'Work.' } }
    must(await world.admin.write('schedule', 'nightly', { ...schedule, workspace: 'red-one' }))
    must(await world.admin.write('schedule', 'nightly', { ...schedule, workspace: 'open' }))
    const history = must(await bob.get('/v1/catalog/schedule/nightly/history'))
    expect((history.body['entries'] as { generation: string }[]).map(({ generation }) => generation)).toEqual(
      ['2'],
    )
    must(await world.admin.write('schedule', 'nightly', { ...schedule, workspace: 'red-one' }))
    expect((await bob.get('/v1/catalog/schedule/nightly/history')).status).toBe(404)
  })

  test('the work of a pool is shown to those who see all workspaces', async () => {
    await spawnIn('red-one', 'r1')
    expect(must(await world.admin.get('/v1/runners')).body['pools']).not.toEqual([])
    expect(must(await bob.get('/v1/runners')).body['pools']).toEqual([])
  })

  test('a run learns nothing of workspaces that are not its own', async () => {
    const run = await world.take(await spawnIn('red-one', 'r1'))
    const agent = world.tenant.client(run.runKey)
    const missing = await spawnBy(agent, 'no-such-lab')
    expect(missing.status).toBe(404)
    expectSameAnswer(await spawnBy(agent, 'blue-one'), missing)
  })
})

describe('a removed member', () => {
  const SOON = { timeoutMs: 15_000 }

  test('is cut off from streams, and does not get them again', async () => {
    const agentId = await spawnIn('red-one', 'r1')
    const live = await LiveClient.of(server, ann.key)
    const paths: [string, object][] = [
      ['/v1/agent/watch', { agentId }],
      ['/v1/agents/watch', { account: '*' }],
      ['/v1/fleet/watch', { account: '*' }],
    ]
    const ends = paths.map(async ([path, body]) => {
      const response = await live.post(path, body)
      expect(response.statusCode).toBe(200)
      await new Promise((resolve) =>
        response
          .resume()
          .once('close', resolve)
          .once('error', () => {}),
      )
    })
    const stays = await LiveClient.of(server, (await world.tenant.as('viewer', 'ada')).key)
    const kept = await stays.post('/v1/agents/watch', { account: '*' })
    await waitFor(async () => (await listed(ann)).includes('r1'), { what: 'the streams to start' })
    const from = Date.now()
    await team('red', [])
    await Promise.all(ends)
    expect(Date.now() - from).toBeLessThan(10_000)
    expect((await ann.post('/v1/agent/watch', { agentId })).status).toBe(404)
    expect(kept.destroyed).toBe(false)
    kept.destroy()
  })

  test('is noticed by other servers within seconds', async () => {
    const agentId = await spawnIn('red-one', 'r1')
    const other = await startTestServer({ database: server.database })
    try {
      const elsewhere = new TestClient(other.app, ann.key)
      const status = async () => (await elsewhere.post('/v1/agent/status', { agentId })).status
      expect(await status()).toBe(200)
      await team('red', [])
      await waitFor(async () => (await status()) === 404, { what: 'the other server', ...SOON })
    } finally {
      await other.close()
    }
  })

  test('does not get the answer of a wait that began before', async () => {
    const agentId = await spawnIn('red-one', 'r1')
    const waiting = ann.post('/v1/agent/wait', { agentId })
    const isGone = async () => (await ann.post('/v1/agent/status', { agentId })).status === 404
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    await team('red', [])
    await waitFor(isGone, { what: 'the removal to be noticed', ...SOON })
    await world.kill(agentId)
    expect(await waiting).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })
})
