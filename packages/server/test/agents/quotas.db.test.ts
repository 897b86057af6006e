import type { TestAnswer, TestServer } from '@skein/testkit'
import { startTestServer } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

const tenantWith = (quota: Record<string, unknown>) => AgentWorld.withQuota(server, quota)

function expectOver(answer: TestAnswer, limit: string): void {
  expect(answer).toMatchObject({ status: 429, reason: 'QUOTA_EXCEEDED', body: { code: 8 } })
  expect(answer.text).toContain(`"limit":"${limit}"`)
  expect(answer.text).toContain('google.rpc.RetryInfo')
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
}

const task = (id: string) => ({ id, subject: id })
const spawn = (world: AgentWorld, body: object = {}) =>
  world.admin.post('/v1/agent/spawn', { description: 'Work.', ...body })

test('a tenant has at most its live agents; one that ends makes room', async () => {
  const world = await tenantWith({ liveAgents: 2 })
  const first = await world.spawn('first')
  await world.spawn(['first', 'child'])
  expectOver(await spawn(world), 'liveAgents')
  await world.kill(first)
  await world.spawn('third')
  await world.spawn('fourth')
  expectOver(await spawn(world), 'liveAgents')
  expect(await world.phase(first)).toBe('PHASE_CANCELED')
})

test('an agent has at most its live children, whatever others have', async () => {
  const world = await tenantWith({ childrenPerAgent: 1 })
  await world.spawn('one')
  await world.spawn('other')
  const child = await world.spawn(['one', 'child'])
  expectOver(await spawn(world, { agentId: { agent: ['one', 'second'] } }), 'childrenPerAgent')
  await world.spawn(['other', 'child'])
  await world.spawn(['one', 'child', 'grandchild'])
  await world.kill(child)
  expect((await spawn(world, { agentId: { agent: ['one', 'second'] } })).status).toBe(200)
})

test('of 20 children spawned concurrently, as many as the limit allows are created', async () => {
  const world = await tenantWith({ childrenPerAgent: 7 })
  await world.spawn('root')
  const paths = Array.from({ length: 20 }, (_, index) => ['root', `c${index}`])
  const answers = await Promise.all(paths.map((agent) => spawn(world, { agentId: { agent } })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
})

test('an agent has at most its queued messages, deferred ones included', async () => {
  const world = await tenantWith({ queuedFollowUpsPerAgent: 2 })
  const { agentId } = await world.running('full')
  await world.queue(agentId, { followUpId: 'one' })
  await world.queue(agentId, { followUpId: 'later', deliverAt: new Date(Date.now() + 60_000).toISOString() })
  expectOver(await world.queue(agentId), 'queuedFollowUpsPerAgent')
  expect((await world.queue(agentId, { followUpId: 'one' })).status).toBe(200)
  expect((await world.queue(agentId, { preempt: true })).status).toBe(200)
  await world.admin.post('/v1/agent/queue/remove', { agentId, followUpId: 'later' })
  expect((await world.queue(agentId)).status).toBe(200)
})

test('an agent has at most its tasks, whichever way they come', async () => {
  const world = await tenantWith({ tasksPerAgent: 2 })
  expectOver(await spawn(world, { tasks: [task('a'), task('b'), task('c')] }), 'tasksPerAgent')
  const agentId = await world.spawn('tasked', { tasks: [task('a')] })
  const create = (...tasks: object[]) => world.admin.post('/v1/agent/tasks/create', { agentId, tasks })
  expectOver(await create(task('b'), task('c')), 'tasksPerAgent')
  expect((await world.queue(agentId, { tasks: [task('b')] })).status).toBe(200)
  expectOver(await world.queue(agentId, { tasks: [task('c')] }), 'tasksPerAgent')
  expectOver(await create(task('c')), 'tasksPerAgent')
  const deleted = { agentId, tasks: [{ id: 'a', status: 'TASK_STATUS_DELETED' }] }
  await world.admin.post('/v1/agent/tasks/update', deleted)
  expect((await create(task('c'))).status).toBe(200)
})

test('a tenant without a quota of its own has the built-in one', async () => {
  const world = await AgentWorld.in(server, await server.createTenant())
  const tasks = Array.from({ length: 500 }, (_, index) => ({ id: `t${index}`, subject: 'T' }))
  const agentId = await world.spawn('many', { tasks })
  const more = await world.admin.post('/v1/agent/tasks/create', { agentId, tasks: [{ subject: 'T' }] })
  expectOver(more, 'tasksPerAgent')
  expect((await world.status(agentId)).tasks).toHaveLength(500)
})

test('an agent has at most its queued bytes, exactly, however many messages arrive at the same time', async () => {
  const world = await tenantWith({ queuedBytesPerAgent: 10_000 })
  const { agentId } = await world.running('heavy')
  const message = { description: 'x'.repeat(1_900) }
  const answers = await Promise.all(Array.from({ length: 12 }, () => world.queue(agentId, message)))
  const accepted = answers.filter(({ status }) => status === 200)
  expect(accepted).toHaveLength(4)
  for (const answer of answers) if (answer.status !== 200) expectOver(answer, 'queuedBytesPerAgent')
  expect((await world.status(agentId)).followUps).toHaveLength(4)
  expect((await world.queue(agentId, { ...message, preempt: true })).status).toBe(200)
})

test('without a quota 900 messages of 250 kB are not accepted, and status stays small', async () => {
  const world = await AgentWorld.in(server, await server.createTenant())
  const { agentId } = await world.running('flooded')
  const description = 'x'.repeat(250_000)
  let accepted = 0
  while ((await world.queue(agentId, { description })).status === 200) accepted += 1
  expect(accepted).toBe(16)
  const { text } = await world.admin.post('/v1/agent/status', { agentId })
  expect(text.length).toBeLessThan(5_000_000)
})

test('an agent has at most the bytes of its checklist; what shrinks it is always accepted', async () => {
  const world = await tenantWith({ taskBytesPerAgent: 4_000 })
  const large = { ...task('large'), description: 'x'.repeat(5_000) }
  expectOver(await spawn(world, { tasks: [large] }), 'taskBytesPerAgent')
  const agentId = await world.spawn('listed', { tasks: [task('a')] })
  expectOver(
    await world.admin.post('/v1/agent/tasks/create', { agentId, tasks: [large] }),
    'taskBytesPerAgent',
  )
  expectOver(await world.queue(agentId, { tasks: [large] }), 'taskBytesPerAgent')
  const update = (description: string) =>
    world.admin.post('/v1/agent/tasks/update', { agentId, tasks: [{ id: 'a', description }] })
  expectOver(await update('x'.repeat(5_000)), 'taskBytesPerAgent')
  expect((await update('x'.repeat(2_000))).status).toBe(200)
  await world.admin.write('quota', 'default', { taskBytesPerAgent: 10 })
  expect((await update('x'.repeat(1_000))).status).toBe(200)
  expectOver(await update('x'.repeat(1_001)), 'taskBytesPerAgent')
})
