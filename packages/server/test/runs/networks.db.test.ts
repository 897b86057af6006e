import type { RunnerOffers } from '@skein/contract'
import type { TestClient } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'

let world: AgentWorld
let tenants = 0

beforeAll(async () => {
  world = await AgentWorld.start()
})

beforeEach(async () => {
  world = await AgentWorld.in(world.server, await world.server.createTenant(`tenant-${(tenants += 1)}`))
  await world.admin.write('environment', 'open', { network: 'open' })
  await world.admin.write('workspace', 'open', { environment: 'open' })
  await world.admin.write('workspace', 'plain', {})
})

afterAll(() => world.close())

/** A runner with one sandbox and a problem with these policies in it. */
function offers(sandbox: string, ...problems: ('none' | 'gateway' | 'open')[]): RunnerOffers {
  const networks = (['none', 'gateway', 'open'] as const).map((name) => ({
    name,
    problem: problems.includes(name) ? 'It is not permitted here.' : '',
  }))
  return { capacity: 8, backends: [{ name: 'a' }], sandboxes: [{ name: sandbox, networks }] }
}

async function pollWith(told: RunnerOffers, by: TestClient = world.runner): Promise<string[]> {
  const { body } = await by.post('/v1/runner/poll', { capacity: 100, offers: told })
  return (body['runs'] as { agentId: { agent: string[] } }[]).map(({ agentId }) => agentId.agent.join('/'))
}

const inWorkspace = (workspace: string) => ({ agentId: { workspace } })

test('a run whose network a runner does not permit waits for one that does', async () => {
  const agentId = await world.spawn('reaching', inWorkspace('open'))
  expect(await pollWith(offers('bubblewrap', 'open'))).toEqual([])
  expect(await world.status(agentId)).toMatchObject({
    phase: 'PHASE_PENDING',
    run: { state: 'RUN_STATE_QUEUED' },
  })
  expect(await pollWith(offers('bubblewrap', 'none'))).toEqual(['reaching'])
})

test('runs behind one that is not permitted are given out', async () => {
  await world.spawn('reaching', inWorkspace('open'))
  await world.spawn('modest', inWorkspace('plain'))
  await world.spawn('without-workspace')
  expect(await pollWith(offers('bubblewrap', 'open', 'none'))).toEqual(['modest', 'without-workspace'])
})

test('what is not permitted in one sandbox may be in another', async () => {
  await world.admin.write('pool', 'default', { sandbox: 'process' })
  await world.spawn('boxed', inWorkspace('plain'))
  expect(await pollWith(offers('process', 'gateway'))).toEqual([])
  expect(await pollWith(offers('bubblewrap', 'gateway'))).toEqual(['boxed'])
})

test('the environment counts as it is when a runner asks', async () => {
  await world.spawn('reaching', inWorkspace('open'))
  expect(await pollWith(offers('bubblewrap', 'open'))).toEqual([])
  await world.admin.write('environment', 'open', { network: 'none' })
  expect(await pollWith(offers('bubblewrap', 'none'))).toEqual([])
  expect(await pollWith(offers('bubblewrap', 'open'))).toEqual(['reaching'])
})

test('the environment named default is that of workspaces that name none', async () => {
  await world.admin.write('environment', 'default', { network: 'open' })
  await world.spawn('modest', inWorkspace('plain'))
  expect(await pollWith(offers('bubblewrap', 'open'))).toEqual([])
  expect(await pollWith(offers('bubblewrap', 'gateway'))).toEqual(['modest'])
})

test('a runner that reports no networks is assigned every run', async () => {
  await world.spawn('reaching', inWorkspace('open'))
  const told = { capacity: 8, backends: [{ name: 'a' }], sandboxes: [{ name: 'bubblewrap' }] }
  expect(await pollWith(told)).toEqual(['reaching'])
})

test('a runner for all tenants is held to what it permits too', async () => {
  const token = { account: 'robot', role: 'runner', pools: ['default'], allTenants: true }
  const { document } = await world.tenant.operator.write('token', 'shared', token, {
    justification: 'a test',
  })
  const shared = world.tenant.client(String(document['key']))
  await world.spawn('reaching-all', inWorkspace('open'))
  expect(await pollWith(offers('bubblewrap', 'open'), shared)).not.toContain('reaching-all')
  expect(await pollWith(offers('bubblewrap'), shared)).toContain('reaching-all')
})
