import type { RunnerOffers } from '@skein/contract'
import { effectiveNetwork, effectiveSandbox, NO_CEILING } from '@skein/core'
import { startTestServer, TestClient, type TestAnswer, type TestServer } from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let server: TestServer
let trusting: TestServer

beforeAll(async () => {
  server = await startTestServer({ settings: { SKEIN_CEILING: '' } })
  // The same database without a ceiling: what a tenant had written before there was one.
  trusting = await startTestServer({ database: server.database })
})

afterAll(() => Promise.all([server.close(), trusting.close()]))

const newWorld = async () => AgentWorld.in(server, await server.createTenant())
const because = { justification: 'a test' }

async function setCeiling({ tenant }: AgentWorld, ceiling: object): Promise<void> {
  expect((await tenant.operator.write('ceiling', 'default', ceiling, because)).status).toBe(200)
}

/** Writes what the server itself would refuse. */
async function smuggle(
  { admin }: AgentWorld,
  kind: string,
  document: object,
  name = 'default',
): Promise<void> {
  const answer = await new TestClient(trusting.app, admin.key).write(kind, name, document)
  if (answer.status !== 200) throw new Error(answer.text)
}

/** The fields that an answer refuses because of the ceiling. */
function refusedFields({ status, reason, text }: TestAnswer): string[] {
  if (status !== 400 || reason !== 'DOCUMENT_INVALID') return [`${status} ${text}`]
  return [...text.matchAll(/"field":"([^"]*)","description":"the tenant's ceiling permits/g)].map(
    ([, field = '']) => field,
  )
}

const HUGE = { cpus: 512, memoryMib: 1_000_000, diskMib: 9_000_000, processes: 0, runTimeLimit: '0s' }
const FREE = {
  models: ['claude-*'],
  defaultModel: 'claude-sonnet-5',
  prices: [{ model: 'claude-*' }],
}

describe('on a server that sets no ceiling', () => {
  test.each([
    ['quota', { liveAgents: 1_000_000 }, 'liveAgents'],
    ['backend', FREE, 'prices[0].input'],
    ['environment', { network: 'open' }, 'network'],
    ['vm-profile', HUGE, 'cpus'],
    ['pool', { sandbox: 'process' }, 'sandbox'],
  ])('the admin of a tenant cannot write a %s like %j', async (kind, document, field) => {
    const { admin } = await newWorld()
    expect(refusedFields(await admin.write(kind, 'default', document))).toContain(field)
  })

  test('what was written before has no effect', async () => {
    const world = await newWorld()
    await smuggle(world, 'environment', { network: 'open', providerTools: ['web-search'], betas: ['x'] })
    await smuggle(world, 'pool', { sandbox: 'process' })
    await smuggle(world, 'vm-profile', HUGE)
    await smuggle(world, 'backend', FREE, 'a')
    const { run } = await world.running('greedy')
    expect(run.environment).toMatchObject({ network: 'gateway', providerTools: [], betas: [] })
    expect(run.sandbox).toBe('bubblewrap')
    expect(run.limits).toMatchObject({ cpus: 8, memoryMib: 16_384, diskMib: 102_400, processes: 4096 })
    expect(run.limits.runTimeMs).toBe(86_400_000)
    expect(run.prices[0]).toMatchObject({ input: 0 })
    expect(run.leastPrices.find(({ model }) => model === 'claude-*')).toMatchObject({ input: 3, output: 15 })
    expect(run.toolPrices).toEqual([{ tool: 'web-search', perUse: 0.01 }])
  })

  test('everyone who reads the catalog can read the ceiling; nobody of the tenant can write it', async () => {
    const world = await newWorld()
    const viewer = await world.tenant.as('viewer')
    expect((await viewer.read('ceiling', 'installation')).document).toMatchObject({
      quota: { liveAgents: 100_000 },
      networks: ['none', 'gateway'],
    })
    for (const name of ['default', 'installation']) {
      const answer = await world.admin.write('ceiling', name, { quota: { liveAgents: 1_000_000 } })
      expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
    }
    await setCeiling(world, { quota: { liveAgents: 1 } })
    expect((await viewer.read('ceiling', 'default')).document).toMatchObject({ quota: { liveAgents: 1 } })
    const removal = await world.admin.delete('/v1/catalog/ceiling/default')
    expect(removal).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
  })
})

describe('under a ceiling of its own', () => {
  test('a tenant has no more agents, however high its quota is', async () => {
    const world = await newWorld()
    await smuggle(world, 'quota', { liveAgents: 1_000_000 })
    await setCeiling(world, { quota: { liveAgents: 1 } })
    await world.spawn('one')
    const refused = await world.admin.post('/v1/agent/spawn', { description: 'Work.' })
    expect(refused).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' })
    expect(refused.text).toContain('"value":"1"')
  })

  test('a tenant has no more runs in flight', async () => {
    const world = await newWorld()
    await smuggle(world, 'quota', { runsInFlight: 100_000 })
    await setCeiling(world, { quota: { runsInFlight: 2 } })
    for (const name of ['a', 'b', 'c']) await world.spawn(name)
    expect(await pollNames(world)).toEqual(['a', 'b'])
    expect(await pollNames(world)).toEqual([])
  })

  test('an operator permits a tenant more than others', async () => {
    const world = await newWorld()
    const other = await newWorld()
    await setCeiling(world, { networks: ['none', 'gateway', 'open'], machine: { cpus: 64 } })
    expect((await world.admin.write('environment', 'default', { network: 'open' })).status).toBe(200)
    expect((await world.admin.write('vm-profile', 'default', { cpus: 64 })).status).toBe(200)
    const refused = await other.admin.write('environment', 'default', { network: 'open' })
    expect(refusedFields(refused)).toEqual(['network'])
    const { run } = await world.running('reaching')
    expect(run.environment.network).toBe('open')
    expect(run.limits.cpus).toBe(64)
  })

  test('runs go to runners that enforce their limits under the ceiling', async () => {
    const world = await newWorld()
    await smuggle(world, 'environment', { network: 'open' })
    await smuggle(world, 'pool', { sandbox: 'process' })
    await smuggle(world, 'vm-profile', { cpus: 0, memoryMib: 0, diskMib: 0, processes: 0 })
    await world.spawn('greedy')
    // What the ceiling makes of it is bubblewrap/gateway with limits: neither of these is given the run.
    expect(await pollNames(world, { networks: ['gateway'] })).toEqual([])
    expect(await pollNames(world, { limits: ['memoryMib'] })).toEqual([])
    expect(await pollNames(world, { networks: ['open'] })).toEqual(['greedy'])
  })
})

describe('a stored document that does not fit its schema', () => {
  test.each([
    ['environment', { network: 'anything' }],
    ['pool', { sandbox: 'container' }],
  ])(
    'fails the runs that need the %s, says why, and the runner does not learn of it',
    async (kind, document) => {
      const world = await newWorld()
      await world.admin.write(kind, 'default', {})
      const agentId = await world.spawn('waiting')
      await spoil(world, kind, document)
      const poll = await world.runner.post('/v1/runner/poll', { capacity: 1 })
      expect(poll).toMatchObject({ status: 200, body: { runs: [] } })
      const { phase, run, error } = await world.status(agentId)
      expect({ phase, runId: run?.runId, attempt: run?.attempt, code: error.code }).toEqual({
        phase: 'PHASE_FAILED',
        runId: '1',
        attempt: 1,
        code: 'document',
      })
      expect(error.message).toContain(`The stored ${kind} default does not match its schema`)
      await world.admin.write(kind, 'default', {})
      await world.spawn('waiting')
      expect(await pollNames(world, {})).toEqual(['waiting'])
    },
  )

  test('holds up the agents of its tenant only, and can be replaced', async () => {
    const world = await newWorld()
    const other = await newWorld()
    await setCeiling(world, {})
    await spoil(world, 'ceiling', { networks: 'all' })
    const refused = await world.admin.post('/v1/agent/spawn', {
      agentId: { agent: ['held'] },
      description: 'Work.',
    })
    expect(refused.status).toBe(500)
    await other.spawn('free')
    await setCeiling(world, {})
    await world.spawn('held')
  })
})

/** As if someone had changed the database by hand. */
async function spoil({ tenant }: AgentWorld, kind: string, document: object): Promise<void> {
  await asOwner(`update resource set document = $3 where tenant_id = $1 and kind = $2 and name = 'default'`, [
    tenant.id,
    kind,
    JSON.stringify(document),
  ])
}

test('the database and the engine agree on every request and every ceiling', async () => {
  const policies = ['none', 'gateway', 'open'] as const
  const lists = [[], ['none'], ['gateway'], ['open'], ['none', 'gateway'], ['none', 'open'], [...policies]]
  for (const networks of lists as (typeof policies)[number][][]) {
    for (const network of [...policies, ''] as const) {
      const expected = effectiveNetwork({ network: network || 'gateway' }, { ...NO_CEILING, networks })
      expect(await asked('permitted_network', network, { networks })).toBe(expected)
    }
  }
  for (const sandboxes of [[], ['bubblewrap'], ['process'], ['process', 'bubblewrap']] as const) {
    for (const sandbox of ['process', 'bubblewrap', ''] as const) {
      const expected = effectiveSandbox(
        { sandbox: sandbox || 'bubblewrap' },
        { ...NO_CEILING, sandboxes: [...sandboxes] },
      )
      expect(await asked('permitted_sandbox', sandbox, { sandboxes })).toBe(expected)
    }
  }
})

async function asked(name: string, wanted: string, ceiling: object): Promise<unknown> {
  const rows = await asOwner(`select ${name}($1, $2) as answer`, [wanted, JSON.stringify(ceiling)])
  return rows[0]?.['answer']
}

async function asOwner(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: server.database.ownerUrl })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, values)
    return rows
  } finally {
    await client.end()
  }
}

const asProblems = (names: string[] = []) => names.map((name) => ({ name, problem: 'Not here.' }))

async function pollNames(
  { runner }: AgentWorld,
  problems: { networks?: string[]; limits?: string[] } = {},
): Promise<string[]> {
  const sandbox = {
    name: 'bubblewrap',
    networks: asProblems(problems.networks),
    limits: asProblems(problems.limits),
  }
  const offers = { capacity: 8, backends: [{ name: 'a' }], sandboxes: [sandbox] } as RunnerOffers
  const { body } = await runner.post('/v1/runner/poll', { capacity: 100, offers })
  return (body['runs'] as { agentId: { agent: string[] } }[]).map(({ agentId }) => agentId.agent.join('/'))
}
