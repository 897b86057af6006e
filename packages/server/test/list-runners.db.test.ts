import type { PoolEntry, RunnerEntry } from '@skein/contract'
import { Database, maintainPartitions } from '@skein/store'
import { startTestServer, waitFor, type TestClient, type TestServer, type TestTenant } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AgentWorld, must } from './agents/agent-world.ts'

let server: TestServer
let acme: TestTenant
let rival: TestTenant
let owner: Client

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant('acme')
  rival = await server.createTenant('rival')
  await acme.admin.write('pool', 'gpu', {})
  owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
})

beforeEach(() => owner.query('delete from runner'))

afterAll(async () => {
  await owner.end()
  await server.close()
})

const OFFERS = {
  name: 'host-1',
  build: '2026.11',
  startTime: '2026-11-15T10:00:00+01:00',
  capacity: 8,
  backends: [
    { name: 'a', version: '1.2.3', keyProblem: 'It is refused.' },
    { name: 'b', problem: 'Codex is not installed.' },
  ],
  sandboxes: [
    { name: 'bubblewrap', problem: 'bubblewrap is not installed.' },
    {
      name: 'process',
      networks: [{ name: 'none', problem: 'It cannot be held.' }, { name: 'open' }],
      limits: [{ name: 'cpus', problem: 'There is no cgroup.' }, { name: 'diskMib' }],
      notes: ['It keeps nothing apart.'],
    },
  ],
}

let tokens = 0
async function runnerOf(tenant: TestTenant, fields: object = {}): Promise<TestClient> {
  const token = { account: 'robot', role: 'runner', pools: ['default', 'gpu'], ...fields }
  const name = `runner-${(tokens += 1)}`
  const { document } = await tenant.operator.write('token', name, token, { justification: 'a test' })
  return tenant.client(String(document['key']))
}

const poll = (runner: TestClient, fields: object = {}) =>
  runner.post('/v1/runner/poll', { capacity: 1, ...fields })

async function runnersOf(by: TestClient, query: Record<string, string> = {}): Promise<RunnerEntry[]> {
  const { status, text, body } = await by.get('/v1/runners', { query })
  if (status !== 200) throw new Error(text)
  return body['runners'] as RunnerEntry[]
}

const age = (interval: string) => owner.query(`update runner set seen_at = now() - interval '${interval}'`)
const seenAt = async () =>
  (await owner.query<{ seen_at: Date }>('select seen_at from runner')).rows[0]?.seen_at

describe('the runners of a tenant', () => {
  test('are listed with what they offer and what they lack', async () => {
    const runner = await runnerOf(acme)
    expect((await poll(runner, { pools: ['gpu'], offers: OFFERS })).status).toBe(200)
    expect(await runnersOf(await acme.as('viewer'))).toEqual([
      {
        name: 'host-1',
        pools: ['gpu'],
        servesAllTenants: false,
        build: '2026.11',
        startTime: '2026-11-15T09:00:00.000Z',
        capacity: 8,
        backends: [
          { name: 'a', version: '1.2.3', problem: '', keyProblem: 'It is refused.' },
          { name: 'b', version: '', problem: 'Codex is not installed.', keyProblem: '' },
        ],
        sandboxes: [
          {
            name: 'bubblewrap',
            problem: 'bubblewrap is not installed.',
            networks: [],
            limits: [],
            notes: [],
          },
          {
            name: 'process',
            problem: '',
            networks: [
              { name: 'none', problem: 'It cannot be held.' },
              { name: 'open', problem: '' },
            ],
            limits: [
              { name: 'cpus', problem: 'There is no cgroup.' },
              { name: 'diskMib', problem: '' },
            ],
            notes: ['It keeps nothing apart.'],
          },
        ],
        seenTime: expect.any(String) as string,
        isOnline: true,
      },
    ])
  })

  test('are known by their token if they say nothing of themselves', async () => {
    await poll(await runnerOf(acme))
    expect(await runnersOf(acme.admin)).toMatchObject([
      {
        name: `runner-${tokens}`,
        pools: ['default', 'gpu'],
        startTime: '',
        capacity: 0,
        backends: [],
        sandboxes: [],
      },
    ])
  })

  test('that restart are seen immediately, although nothing else about them changed', async () => {
    const runner = await runnerOf(acme)
    await poll(runner, { capacity: 0, offers: OFFERS })
    const startTime = '2026-11-15T09:00:01.000Z'
    await poll(runner, { capacity: 0, offers: { ...OFFERS, startTime } })
    expect(await runnersOf(acme.admin)).toMatchObject([{ name: 'host-1', startTime }])
  })

  test('can say that they are there without taking a run', async () => {
    const world = await AgentWorld.in(server, acme)
    await world.spawn('queued')
    const { body } = await poll(world.runner, { capacity: 0, waitMs: 60_000, offers: OFFERS })
    expect(body['runs']).toEqual([])
    expect(await runnersOf(acme.admin)).toMatchObject([{ name: 'host-1', isOnline: true }])
  })

  test('that share a token are distinguished by their names', async () => {
    const runner = await runnerOf(acme)
    for (const name of ['host-2', 'host-1', 'host-2']) await poll(runner, { offers: { ...OFFERS, name } })
    expect((await runnersOf(acme.admin)).map(({ name }) => name)).toEqual(['host-1', 'host-2'])
  })

  test('go offline after 90 seconds, leave the list after ten minutes, and are forgotten after a day', async () => {
    const runner = await runnerOf(acme)
    await poll(runner, { offers: OFFERS })
    await age('80 seconds')
    expect(await runnersOf(acme.admin)).toMatchObject([{ isOnline: true }])
    await age('100 seconds')
    expect(await runnersOf(acme.admin)).toMatchObject([{ isOnline: false }])
    await age('11 minutes')
    expect(await runnersOf(acme.admin)).toEqual([])
    const database = new Database({
      connectionString: server.database.serverUrl,
      maxConnections: 1,
      applicationName: 'test',
    })
    const maintain = () => database.withoutTenant((transaction) => maintainPartitions(transaction, {}))
    await maintain()
    expect(await seenAt()).toBeDefined()
    await age('25 hours')
    await maintain()
    expect(await seenAt()).toBeUndefined()
    await database.close()
  })

  test('are written when they change or their row gets old, not at every poll', async () => {
    const runner = await runnerOf(acme)
    await poll(runner, { offers: OFFERS })
    const first = await seenAt()
    await poll(runner, { offers: OFFERS })
    expect(await seenAt()).toEqual(first)
    await poll(runner, { offers: { ...OFFERS, capacity: 9 } })
    const second = await seenAt()
    expect(second).not.toEqual(first)
    await age('21 seconds')
    // A server asks the database again after a second.
    await waitFor(
      async () => {
        await poll(runner, { offers: { ...OFFERS, capacity: 9 } })
        return ((await seenAt())?.getTime() ?? 0) >= (second?.getTime() ?? Infinity)
      },
      { what: 'the row to be written again', intervalMs: 200 },
    )
  })

  test('of one token cannot be more than a thousand', async () => {
    const runner = await runnerOf(acme)
    await owner.query(
      `insert into runner select $1, $2, 'x' || n, '{}', false, '{}', now() from generate_series(1, 1000) as n`,
      [acme.id, `runner-${tokens}`],
    )
    expect((await poll(runner, { offers: OFFERS })).status).toBe(200)
    expect((await owner.query('select from runner')).rowCount).toBe(1000)
  })

  test('that are no longer listed free their place for new names of the same token', async () => {
    const runner = await runnerOf(acme)
    await owner.query(
      `insert into runner select $1, $2, 'x' || n, '{}', false, '{}', now() from generate_series(1, 1000) as n`,
      [acme.id, `runner-${tokens}`],
    )
    await age('11 minutes')
    await poll(runner, { offers: OFFERS })
    expect(await runnersOf(acme.admin)).toMatchObject([{ name: 'host-1' }])
    expect((await owner.query('select from runner')).rowCount).toBe(1)
  })

  test.each([
    ['in plain letters', 'x', 64, 32],
    ['with every character escaped', '\u0001', 8, 32],
  ])('keep at most 16 KiB of what they offer, %s', async (_what, letter, kept, length) => {
    const text = (units: number) => letter.repeat(units)
    const part = { name: text(63), version: text(255), problem: text(512), keyProblem: text(512) }
    const { version: _version, keyProblem: _keyProblem, ...sandbox } = part
    const backends = Array.from({ length: 64 }, () => part)
    const offers = { ...OFFERS, backends, sandboxes: Array.from({ length: 16 }, () => sandbox) }
    expect((await poll(await runnerOf(acme), { offers })).status).toBe(200)
    const stored = await owner.query<{ bytes: number }>(
      'select octet_length(offers::text) as bytes from runner',
    )
    expect(stored.rows[0]?.bytes).toBeLessThan(17 * 1024)
    const [entry] = await runnersOf(acme.admin)
    expect(entry?.backends).toHaveLength(kept)
    expect(entry?.backends[0]).toEqual({
      name: text(63),
      version: text(length),
      problem: text(length),
      keyProblem: text(length),
    })
  })
})

async function poolsOf(by: TestClient): Promise<PoolEntry[]> {
  return (await by.get('/v1/runners')).body['pools'] as PoolEntry[]
}

describe('the work of each pool', () => {
  const nothing = { queued: 0, queuedSince: '', delayed: 0, running: 0 }

  test('is counted per tenant, whether or not a runner serves the pool', async () => {
    const world = await AgentWorld.in(server, await server.createTenant())
    must(await world.admin.write('pool', 'lab', {}))
    must(await world.admin.write('workspace', 'lab', { repos: [], pool: 'lab' }))
    must(await world.admin.write('workspace', 'shop', { repos: [] }))
    expect(await poolsOf(world.admin)).toEqual([])
    const inLab = { agentId: { workspace: 'lab' } }
    for (const name of ['first', 'second']) await world.spawn(name, inLab)
    expect(await poolsOf(world.admin)).toEqual([
      { ...nothing, name: 'lab', queued: 2, queuedSince: expect.stringMatching(/^\d{4}-.*Z$/) as string },
    ])
    await world.running('busy')
    expect(await poolsOf(world.admin)).toMatchObject([
      { ...nothing, name: 'default', running: 1 },
      { name: 'lab', queued: 2 },
    ])
    expect(await poolsOf(rival.admin)).toEqual([])
  })

  test('does not call a run queued that waits for its retry, or an agent that waits for its children', async () => {
    const world = await AgentWorld.in(server, await server.createTenant())
    const failing = await world.running('failing')
    const error = { code: 'overloaded', message: 'Too busy.', isRetryable: true }
    await world.complete(failing.run, { reason: 'failed', error, retryAfterMs: 3_600_000 })
    const parent = await world.running('parent')
    await world.running(['parent', 'child'])
    await world.complete(parent.run, { reason: 'rested', awaits: ['child'] })
    expect(await poolsOf(world.admin)).toEqual([{ ...nothing, name: 'default', delayed: 1, running: 1 }])
  })

  test('has a row for a pool with a runner and nothing to do', async () => {
    await poll(await runnerOf(acme), { pools: ['gpu'], offers: OFFERS })
    expect(await poolsOf(acme.admin)).toContainEqual({ ...nothing, name: 'gpu' })
  })
})

describe('who sees a runner', () => {
  test('its own tenant, and no other', async () => {
    await poll(await runnerOf(acme), { offers: OFFERS })
    expect(await runnersOf(acme.admin)).toHaveLength(1)
    expect(await runnersOf(rival.admin)).toEqual([])
  })

  test('every tenant, if it serves them all', async () => {
    await poll(await runnerOf(acme, { allTenants: true }), { offers: OFFERS })
    for (const tenant of [acme, rival]) {
      expect(await runnersOf(tenant.admin)).toMatchObject([{ name: 'host-1', servesAllTenants: true }])
    }
  })

  test('an operator, who names the tenant; for anyone else another tenant does not exist', async () => {
    await poll(await runnerOf(acme), { offers: OFFERS })
    expect(await runnersOf(rival.operator, acme.query)).toMatchObject([{ name: 'host-1' }])
    const answer = await rival.admin.get('/v1/runners', { query: acme.query })
    expect(answer).toMatchObject({ status: 404, reason: 'TENANT_NOT_FOUND' })
  })

  test('not the key of a run, nor that of a runner', async () => {
    const world = await AgentWorld.in(server, rival)
    const { run } = await world.running('curious')
    for (const client of [rival.client(run.runKey), world.runner]) {
      expect(await client.get('/v1/runners')).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    }
  })
})

test('offers that are too much or misspelled are refused', async () => {
  const runner = await runnerOf(acme)
  const refused = async (fields: object) => (await poll(runner, { offers: { ...OFFERS, ...fields } })).fields
  expect(await refused({ name: '' })).toEqual(['offers.name'])
  expect(await refused({ capacity: -1 })).toEqual(['offers.capacity'])
  expect(await refused({ backend: [] })).toEqual(['offers.backend'])
  expect(await refused({ backends: [{ name: 'a', problem: 'x'.repeat(513) }] })).toEqual([
    'offers.backends[0].problem',
  ])
  expect(await refused({ sandboxes: Array.from({ length: 17 }, () => ({ name: 'x' })) })).toEqual([
    'offers.sandboxes',
  ])
})
