import { startTestServer, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { readQueue } from './read-queue.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

const tenantWith = (quota: Record<string, unknown>) => AgentWorld.withQuota(server, quota)

test('even the worst texts do not make a status large', async () => {
  const world = await tenantWith({ queuedBytesPerAgent: 100_000_000 })
  const agentId = await world.spawn('escaped')
  for (let index = 0; index < 30; index++) {
    await world.queue(agentId, { description: '\u0001'.repeat(40_000) })
  }
  const { text } = await world.admin.post('/v1/agent/status', { agentId })
  expect(text.length).toBeLessThan(200_000)
})

test('a queue is shown whole, without a count, while it is short', async () => {
  const world = await tenantWith({})
  const agentId = await world.spawn('calm')
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await world.queue(agentId, { followUpId: 'a', description: 'Now.' })
  await world.queue(agentId, { followUpId: 'b', description: 'Later.', deliverAt: later })
  const status = await world.status(agentId)
  expect(status).not.toHaveProperty('followUpCount')
  const { all, pages } = await readQueue(world, agentId, 1)
  expect(all).toEqual(status.followUps)
  expect(pages.map(({ length }) => length)).toEqual([1, 1, 1])
  expect(all.map(({ followUpId, state }) => [followUpId, state]).slice(1)).toEqual([
    ['a', 'QUEUED'],
    ['b', 'DEFERRED'],
  ])
})

test('the queue of an agent that is not there, or of another tenant, is not found; a wrong token is refused', async () => {
  const world = await tenantWith({})
  const other = await tenantWith({})
  const agentId = await world.spawn('mine')
  for (const [by, id] of [
    [world.admin, { workspace: 'default', agent: ['nobody'] }],
    [other.admin, agentId],
  ] as const) {
    const answer = await by.post('/v1/agent/queue/list', { agentId: id })
    expect(answer).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  }
  const refused = await world.admin.post('/v1/agent/queue/list', { agentId, pageToken: 'x' })
  expect(refused).toMatchObject({ status: 400, reason: 'PAGE_TOKEN_INVALID' })
})

test('a tenant has at most its queued bytes, over all its agents; what is delivered or killed makes room', async () => {
  const world = await tenantWith({ queuedBytes: 10_000 })
  const { agentId: one, run } = await world.running('one')
  const { agentId: two } = await world.running('two')
  const description = 'x'.repeat(4_000)
  expect((await world.queue(one, { description })).status).toBe(200)
  expect((await world.queue(two, { description })).status).toBe(200)
  const refused = await world.queue(one, { description })
  expect(refused).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' })
  expect(refused.text).toContain('"limit":"queuedBytes"')
  const spawn = await world.admin.post('/v1/agent/spawn', { description })
  expect(spawn).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED' })
  await world.kill(two)
  expect((await world.queue(one, { description })).status).toBe(200)
  await world.complete(run, { reason: 'rested' })
  await world.take(one)
  expect((await world.queue(one, { description })).status).toBe(200)
  expect((await world.queue(one, { description })).status).toBe(200)
  expect((await world.queue(one, { description })).status).toBe(429)
})
