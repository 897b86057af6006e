import type { AgentId, Assignment } from '@skein/contract'
import type { TestClient, TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSameAnswer } from '../same-answer.ts'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld
let rival: TestTenant
let bobs: AgentId
let bobsRun: Assignment
let bob: TestClient
let carol: TestClient

beforeAll(async () => {
  world = await AgentWorld.start()
  rival = await world.server.createTenant()
  bob = await world.tenant.as('member', 'bob')
  carol = await world.tenant.as('member', 'carol')
  bobs = await world.spawn('bobs', {}, bob)
  bobsRun = await world.take(bobs)
})

afterAll(() => world.close())

const READS = ['/v1/agent/status', '/v1/agent/tasks', '/v1/agent/timeline'] as const
const DRIVES: readonly (readonly [string, object])[] = [
  ['/v1/agent/queue', { description: 'x' }],
  ['/v1/agent/queue/remove', { followUpId: 'x' }],
  ['/v1/agent/clear-follow-ups', {}],
  ['/v1/agent/stop-turn', { runId: '99' }],
  ['/v1/agent/tasks/create', { tasks: [{ subject: 'x' }] }],
  ['/v1/agent/tasks/update', { tasks: [{ id: 'x' }] }],
  ['/v1/agent/kill', {}],
]
const WAITS = ['/v1/agent/wait', '/v1/agent/watch'] as const
const spawnAsRival = (agentId: object) => rival.admin.post('/v1/agent/spawn', { agentId, description: 'x' })
const listAsRival = (parentId: object) => rival.admin.post('/v1/agents', { parentId })
const killAsCarol = (agent: string) => carol.post('/v1/agent/kill', { agentId: { ...bobs, agent: [agent] } })
const DENIED = { status: 403, body: { code: 7 } }

describe('another tenant’s agent is indistinguishable from a missing one', () => {
  const everything: readonly (readonly [string, object])[] = [
    ...[...READS, ...WAITS].map((path) => [path, {}] as const),
    ...DRIVES,
  ]

  test.each(everything)('by %s', async (path, fields) => {
    const named = (agentId: object) => rival.admin.post(path, { agentId, ...fields })
    const missing = await named({ workspace: 'default', agent: ['nobody'] })
    expect(missing).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
    expectSameAnswer(await named({ workspace: 'default', agent: ['bobs'], account: 'bob' }), missing)
    expectSameAnswer(await named(bobs), missing)
    expectSameAnswer(await named({ ...bobs, agent: ['nobody'] }), missing)
    expectSameAnswer(await named({ ...bobs, tenant: { org: 'no-such-org' } }), missing)
    expect(await world.phase(bobs)).toBe('PHASE_RUNNING')
  })

  test('by a spawn into that tenant', async () => {
    const missing = await spawnAsRival({ tenant: { org: 'no-such-org' } })
    expect(missing.status).toBe(404)
    expectSameAnswer(await spawnAsRival({ tenant: world.tenant.tenant }), missing)
  })

  test('by a list of its children', async () => {
    const missing = await listAsRival({ workspace: 'default', agent: ['nobody'] })
    expect(missing.status).toBe(404)
    expectSameAnswer(await listAsRival(bobs), missing)
  })
})

describe('a member', () => {
  test.each(DRIVES)('does not drive a colleague’s agent by %s', async (path, fields) => {
    expect(await carol.post(path, { agentId: bobs, ...fields })).toMatchObject(DENIED)
  })

  test('learns from a refusal nothing about which agents a colleague has', async () => {
    const existing = await killAsCarol('bobs')
    expect(existing).toMatchObject(DENIED)
    expectSameAnswer(existing, await killAsCarol('nobody'))
  })

  test('does not spawn for a colleague, nor for itself under another provider', async () => {
    for (const agentId of [{ account: 'bob' }, { ownerProvider: 'PROVIDER_SERVICE_PROFILE' }]) {
      expect(await carol.post('/v1/agent/spawn', { agentId, description: 'x' })).toMatchObject(DENIED)
    }
  })

  test.each(READS)('reads a colleague’s agent by %s', async (path) => {
    expect((await carol.post(path, { agentId: bobs })).status).toBe(200)
  })

  test('drives its own agents', async () => {
    expect((await bob.post('/v1/agent/queue', { agentId: bobs, description: 'x' })).status).toBe(200)
    expect((await bob.post('/v1/agent/clear-follow-ups', { agentId: bobs })).body).toEqual({ cleared: 1 })
    expect((await bob.post('/v1/agent/stop-turn', { agentId: bobs, runId: 1 })).status).toBe(200)
  })
})

describe('an admin and an operator', () => {
  test('drive every agent of the tenant', async () => {
    for (const client of [world.admin, world.tenant.operator]) {
      expect((await client.post('/v1/agent/queue', { agentId: bobs, description: 'x' })).status).toBe(200)
    }
  })

  test('work across tenants only as an operator', async () => {
    expect((await rival.operator.post('/v1/agent/status', { agentId: bobs })).status).toBe(200)
    const headers = { 'x-skein-justification': encodeURIComponent('Bob asked – ticket 7') }
    const queued = await rival.operator.post(
      '/v1/agent/queue',
      { agentId: bobs, description: 'x' },
      { headers },
    )
    expect(queued.status).toBe(200)
    expect((await world.events(bobs, 'follow-up.queued')).at(-1)).toMatchObject({ actor: 'olga' })
  })
})

describe('a viewer', () => {
  test('reads and lists, and drives nothing', async () => {
    const viewer = await world.tenant.as('viewer', 'vera')
    for (const path of READS) expect((await viewer.post(path, { agentId: bobs })).status).toBe(200)
    expect((await viewer.post('/v1/agents', { account: '*' })).status).toBe(200)
    for (const [path, fields] of DRIVES) {
      expect(await viewer.post(path, { agentId: bobs, ...fields })).toMatchObject(DENIED)
    }
    expect(await viewer.post('/v1/agent/spawn', { description: 'x' })).toMatchObject(DENIED)
    expect(await viewer.post('/v1/runner/poll', { capacity: 1 })).toMatchObject(DENIED)
  })
})

describe('a runner', () => {
  test('executes runs and can do nothing else', async () => {
    const paths = [...READS, ...WAITS, ...DRIVES.map(([path]) => path)]
    for (const path of [...paths, '/v1/agent/spawn', '/v1/agents', '/v1/agents/watch']) {
      expect([path, (await world.runner.post(path, { agentId: bobs })).status]).toEqual([path, 403])
    }
    expect((await world.runner.get('/v1/catalog/persona/default')).status).toBe(403)
    expect((await world.runner.get('/v1/catalog')).status).toBe(403)
    expect((await world.runner.get('/v1/audit')).status).toBe(403)
    expect((await world.beat(bobsRun)).status).toBe(200)
  })

  test('is the only one who executes runs', async () => {
    for (const client of [world.admin, bob, world.tenant.operator]) {
      expect(await client.post('/v1/runner/poll', { capacity: 1 })).toMatchObject(DENIED)
      expect(await world.beat(bobsRun, {}, client)).toMatchObject(DENIED)
    }
  })
})

test('without a key nothing about an agent is answered', async () => {
  for (const path of [...READS, ...WAITS, ...DRIVES.map(([drive]) => drive)]) {
    expect((await world.server.anonymous.post(path, { agentId: bobs })).status).toBe(401)
  }
})
