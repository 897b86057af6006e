import type { Assignment } from '@skein/contract'
import type { MachineLimit } from '@skein/contract/facts'
import type { TestClient } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

beforeEach(async () => {
  await world.admin.delete('/v1/catalog/pool/default')
  await world.admin.delete('/v1/catalog/vm-profile/default')
  await world.admin.delete('/v1/catalog/vm-profile/loose')
})

afterAll(() => world.close())

const LIMITS: readonly MachineLimit[] = ['cpus', 'memoryMib', 'diskMib', 'processes']

/** Asks for work as a runner that holds these limits in bubblewrap, and all in `process`. */
async function poll(
  held: readonly MachineLimit[] | undefined,
  by: TestClient = world.runner,
): Promise<string[]> {
  const limits = LIMITS.map((name) => ({ name, problem: held?.includes(name) ? '' : 'Not here.' }))
  const sandboxes = [{ name: 'bubblewrap', ...(held && { limits }) }, { name: 'process' }]
  const offers = { name: 'host', capacity: 8, backends: [{ name: 'a' }], sandboxes }
  const { body } = must(await by.post('/v1/runner/poll', { capacity: 8, offers }))
  const runs = body['runs'] as Assignment[]
  for (const { lease } of runs) {
    must(await by.post('/v1/runner/complete', { lease, outcome: { reason: 'rested', message: 'Done.' } }))
  }
  return runs.map(({ agentId }) => agentId.agent.join('/'))
}

test('a runner gets no run whose limits it cannot hold, and another one does', async () => {
  await world.spawn('limited')
  // The machine that comes with Skein has them all.
  for (const lacked of LIMITS) expect(await poll(LIMITS.filter((limit) => limit !== lacked))).toEqual([])
  expect(await poll(LIMITS)).toEqual(['limited'])
})

test('a limit that the profile does not set needs nobody to hold it', async () => {
  must(await world.admin.write('vm-profile', 'default', { cpus: 0, memoryMib: 0 }))
  await world.spawn('loose')
  expect(await poll(['diskMib'])).toEqual([])
  expect(await poll(['diskMib', 'processes'])).toEqual(['loose'])
})

test('it is the profile of the pool that counts, and the sandbox of the pool', async () => {
  must(await world.admin.write('vm-profile', 'loose', { cpus: 0, memoryMib: 0, diskMib: 0, processes: 0 }))
  must(await world.admin.write('pool', 'default', { vmProfile: 'loose' }))
  await world.spawn('by-profile')
  expect(await poll([])).toEqual(['by-profile'])
  must(await world.admin.write('pool', 'default', { sandbox: 'process' }))
  await world.spawn('by-sandbox')
  expect(await poll([])).toEqual(['by-sandbox'])
  must(await world.admin.delete('/v1/catalog/pool/default'))
})

test('a runner that says nothing of limits gets every run, as before', async () => {
  await world.spawn('silent')
  expect(await poll(undefined)).toEqual(['silent'])
})

test('a runner for all tenants gets the runs of those whose limits it can hold', async () => {
  const other = await AgentWorld.in(world.server, await world.server.createTenant())
  const token = { account: 'robot', role: 'runner', pools: ['default'], allTenants: true }
  const written = await world.tenant.operator.write('token', 'for-all', token, { justification: 'a test' })
  const forAll = world.tenant.client(String(written.document['key']))
  must(await other.admin.write('vm-profile', 'default', { cpus: 0, memoryMib: 0 }))
  await world.spawn('strict')
  await other.spawn('lenient')
  expect(await poll(['diskMib', 'processes'], forAll)).toEqual(['lenient'])
  expect(await poll(LIMITS, forAll)).toEqual(['strict'])
})

test('a profile names no size that is too small to work with, but may name none', async () => {
  const bad = { cpus: 0.001, memoryMib: 63, diskMib: 1, processes: 15 }
  const refused = await world.admin.write('vm-profile', 'tiny', bad)
  expect(refused.fields.toSorted()).toEqual(['cpus', 'diskMib', 'memoryMib', 'processes'])
  expect(refused.text).toContain('must be at least 64, or 0 for no limit')
})

test.each(['container', 'remote'])('the sandbox %s, which no runner has, is refused', async (sandbox) => {
  const answer = await world.admin.write('pool', 'boxed', { sandbox })
  expect(answer.status).toBe(400)
  expect(answer.fields).toEqual(['sandbox'])
  expect(answer.text).toContain('must be one of process, bubblewrap')
})

test('an image, from which no sandbox starts, is refused', async () => {
  const answer = await world.admin.write('vm-profile', 'pictured', { image: 'debian:12' })
  expect(answer.status).toBe(400)
  expect(answer.fields).toEqual(['image'])
})
