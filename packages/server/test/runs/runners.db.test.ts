import type { Assignment } from '@skein/contract'
import { waitFor, type TestClient } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must, runnerKey } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start({ settings: { SKEIN_LEASE_MS: '3000' } })
})

afterAll(() => world.close())

const poll = (body: object = {}, by = world.runner) => by.post('/v1/runner/poll', { capacity: 10, ...body })
const runsOf = ({ body }: { body: Record<string, unknown> }) => body['runs'] as Assignment[]
const waitersAre = (count: number) =>
  waitFor(() => world.server.engine.wakeups.waiting === count, { what: `${count} waiting requests` })
const progress = { events: [{ type: 'run.progressed', message: 'On it.' }] }
const usage = { cost: 1, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }

describe('a poll', () => {
  test('without work responds immediately, or when its time is over', async () => {
    expect(runsOf(await poll())).toEqual([])
    const beganAt = performance.now()
    expect(runsOf(await poll({ waitMs: 300 }))).toEqual([])
    expect(performance.now() - beganAt).toBeGreaterThan(250)
  })

  test('is never held past its time', async () => {
    const polls = Array.from({ length: 300 }, (_, index) => poll({ waitMs: 1 + (index % 20) }))
    for (const answer of await Promise.all(polls)) expect(runsOf(answer)).toEqual([])
    await waitersAre(0)
  })

  test('is held until there is a run', async () => {
    const held = poll({ waitMs: 30_000 })
    await waitersAre(1)
    const beganAt = performance.now()
    const agentId = await world.spawn('held')
    expect(runsOf(await held)).toMatchObject([{ agentId, runId: '1' }])
    expect(performance.now() - beganAt).toBeLessThan(4_000)
  })

  test('gets at most as many runs as the runner has room for', async () => {
    for (const name of ['room-1', 'room-2', 'room-3']) await world.spawn(name)
    expect(runsOf(await poll({ capacity: 2 }))).toHaveLength(2)
    expect(runsOf(await poll({ capacity: 2 }))).toHaveLength(1)
    for (const capacity of [1001, -1]) expect((await poll({ capacity })).fields).toEqual(['capacity'])
  })

  test('assigns each run to one of many concurrent pollers, and leaves none behind', async () => {
    const names = Array.from({ length: 16 }, (_, index) => `crowd-${index}`)
    await Promise.all(names.map((name) => world.spawn(name)))
    const answers = await Promise.all(names.map(() => poll({ capacity: 1, waitMs: 2_000 })))
    const given = answers.flatMap(runsOf).map(({ agentId }) => agentId.agent.join('/'))
    expect(given.toSorted()).toEqual(names.toSorted())
  })

  test('gets only runs of pools that the token is for', async () => {
    await world.admin.write('pool', 'gpu', {})
    await world.admin.write('workspace', 'gpu', { pool: 'gpu' })
    await world.admin.write('workspace', 'plain', {})
    const agentId = await world.spawn('gpu', { agentId: { workspace: 'gpu' } })
    expect(runsOf(await poll())).toEqual([])
    expect(await poll({ pools: ['gpu'] })).toMatchObject({ status: 403, body: { code: 7 } })
    const gpu = world.tenant.client(await runnerKey(world.tenant, 'gpu', { pools: ['gpu', 'default'] }))
    expect(runsOf(await poll({ pools: ['default'] }, gpu))).toEqual([])
    expect(runsOf(await poll({}, gpu))).toMatchObject([{ agentId, pool: 'gpu' }])
  })

  test('with a token for no pool is refused', async () => {
    const idle = world.tenant.client(await runnerKey(world.tenant, 'idle', { pools: [] }))
    expect((await poll({}, idle)).status).toBe(403)
  })

  test('gets only runs of the runner’s own tenant', async () => {
    const other = await AgentWorld.in(world.server, await world.server.createTenant())
    await other.spawn('theirs')
    expect(runsOf(await poll())).toEqual([])
    expect(runsOf(await poll({}, other.runner))).toHaveLength(1)
  })
})

describe('a runner for every tenant', () => {
  test('can be created only by an operator', async () => {
    const document = { account: 'r', role: 'runner', pools: ['default'], allTenants: true }
    expect((await world.admin.write('token', 'everyone', document)).status).toBe(403)
  })

  test('gets runs of every tenant, each with the identity of its own tenant', async () => {
    const tenants = [await world.server.createTenant(), await world.server.createTenant()]
    const worlds = await Promise.all(tenants.map((tenant) => AgentWorld.in(world.server, tenant)))
    const agents = await Promise.all(worlds.map((each) => each.spawn('shared')))
    const shared = world.tenant.client(await runnerKey(world.tenant, 'shared', { allTenants: true }))
    const runs = runsOf(await poll({}, shared))
    expect(runs.map(({ agentId }) => agentId.tenant.org).toSorted()).toEqual(
      tenants.map(({ tenant }) => tenant.org).toSorted(),
    )
    expect(runs.map(({ agentId }) => agentId)).toEqual(expect.arrayContaining(agents))
    for (const run of runs) {
      expect((await world.beat(run, progress, shared)).body['runs']).toMatchObject([{ isCurrent: true }])
      expect(await world.complete(run, { reason: 'rested' }, shared)).toBe(true)
    }
    for (const [index, each] of worlds.entries()) {
      expect(await each.phase(agents[index] ?? fail())).toBe('PHASE_WAITING')
    }
  })
})

describe('a heartbeat', () => {
  test('that is sent twice under one report id counts once', async () => {
    const { agentId, run } = await world.running('twice')
    for (let count = 0; count < 2; count++) await world.beat(run, { reportId: 'r1', usage, ...progress })
    await world.beat(run, { reportId: 'r2', usage })
    expect((await world.status(agentId)).cost).toBe(2)
    expect(await world.events(agentId, 'run.progressed')).toHaveLength(1)
  })

  test('covers all runs of a runner', async () => {
    const [one, other] = [await world.running('batch-1'), await world.running('batch-2')]
    await world.kill(other.agentId)
    const runs = [
      { lease: one.run.lease, ...progress },
      { lease: other.run.lease, ...progress },
    ]
    const { body } = must(await world.runner.post('/v1/runner/heartbeat', { runs }))
    expect(body['runs']).toMatchObject([
      { lease: one.run.lease, isCurrent: true, commands: [] },
      { lease: other.run.lease, isCurrent: false, commands: [{ type: 'KILL' }] },
    ])
    expect(await world.events(other.agentId, 'run.progressed')).toEqual([])
  })

  test.each([
    ['a stop', 'INTERRUPT', true, 'STOP_TURN_MODE_INTERRUPT'],
    ['a stop that kills', 'KILL', true, 'STOP_TURN_MODE_KILL'],
    ['a kill', 'KILL', false, undefined],
  ])('that is held learns of %s immediately', async (what, type, isCurrent, mode) => {
    const { agentId, run } = await world.running(what.replaceAll(' ', '-'))
    const held = world.beat(run, { waitMs: 30_000 })
    await waitersAre(1)
    const beganAt = performance.now()
    if (mode === undefined) await world.kill(agentId)
    else must(await world.stop(agentId, '1', mode))
    expect((await held).body['runs']).toMatchObject([{ isCurrent, commands: [{ type }] }])
    expect(performance.now() - beganAt).toBeLessThan(4_000)
  })

  test('is held no longer than its leases last', async () => {
    const { run } = await world.running('long')
    const answer = await world.beat(run, { waitMs: 60_000 })
    const [lease] = await world.sql('select expires_at > now() as holds from lease where agent_id = $1', [
      run.lease.split('.')[1],
    ])
    expect(answer.body['runs']).toMatchObject([{ isCurrent: true, commands: [] }])
    expect(lease).toEqual({ holds: true })
  })
})

describe('a lease', () => {
  const strangers: readonly [string, () => Promise<TestClient>][] = [
    ['of the same tenant', async () => world.tenant.client(await runnerKey(world.tenant, 'stranger'))],
    [
      'of another tenant',
      async () => (await AgentWorld.in(world.server, await world.server.createTenant())).runner,
    ],
  ]

  test.each(strangers)('is worth nothing to another runner %s', async (where, makeStranger) => {
    const { agentId, run } = await world.running(where.replaceAll(' ', '-'))
    const stranger = await makeStranger()
    expect((await world.beat(run, progress, stranger)).body['runs']).toMatchObject([{ isCurrent: false }])
    expect(await world.complete(run, { reason: 'finished' }, stranger)).toBe(false)
    expect(await world.phase(agentId)).toBe('PHASE_RUNNING')
    expect(await world.events(agentId, 'run.progressed')).toEqual([])
    expect(await world.complete(run, { reason: 'rested' })).toBe(true)
    expect(await world.complete(run, { reason: 'rested' }, stranger)).toBe(false)
  })

  test('that was never given out is refused as malformed or unknown, never a fault of ours', async () => {
    const uuid = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
    const dashes = '-'.repeat(36)
    const malformed = ['', 'x', `${dashes}.${uuid}.1.1`, `${uuid}.${dashes}.1.1`, `${uuid}.${uuid}.1`]
    for (const lease of [...malformed, `${uuid}.${uuid}.9223372036854775808.1`]) {
      const outcome = { reason: 'rested' }
      const complete = await world.runner.post('/v1/runner/complete', { lease, outcome })
      const beat = await world.runner.post('/v1/runner/heartbeat', { runs: [{ lease }] })
      expect([lease, complete.status, beat.status]).toEqual([lease, 400, 400])
    }
    const unknown = { lease: `${uuid}.${uuid}.1.1` } as Assignment
    expect(await world.complete(unknown, { reason: 'rested' })).toBe(false)
    expect((await world.beat(unknown)).body['runs']).toMatchObject([{ isCurrent: false }])
  })
})

test('the end of a run that is reported twice counts once', async () => {
  const { agentId, run } = await world.running('reported-twice')
  await world.queue(agentId)
  const answers = await Promise.all([1, 2, 3].map(() => world.complete(run, { reason: 'rested', usage })))
  expect(answers).toEqual([true, true, true])
  const status = await world.status(agentId)
  expect(status).toMatchObject({ cost: 1, runCount: '2', phase: 'PHASE_PENDING' })
  expect(await world.events(agentId, 'run.ended')).toHaveLength(1)
})

test('an outcome that nobody knows is refused', async () => {
  const { run } = await world.running('unknown-outcome')
  const answer = await world.runner.post('/v1/runner/complete', {
    lease: run.lease,
    outcome: { reason: 'vanished' },
  })
  expect(answer).toMatchObject({ status: 400, fields: ['outcome.reason'] })
})

function fail(): never {
  throw new Error('unreachable')
}
