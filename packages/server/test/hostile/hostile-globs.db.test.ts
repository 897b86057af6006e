import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const HOSTILE = '+(*)+(*)+(*)+(*)b'
const taskOf = (pattern: string) => ({
  id: 't',
  subject: 'T',
  activation: { filesModified: { pattern } },
})
const field = 'tasks[0].activation.filesModified.pattern'

test('a pattern that could backtrack is refused wherever one can be written', async () => {
  const tasks = [taskOf(HOSTILE)]
  expect(
    await world.admin.post('/v1/agent/spawn', { agentId: { agent: ['a'] }, description: 'W', tasks }),
  ).toMatchObject({ status: 400, reason: 'REQUEST_INVALID', fields: [field] })
  const agentId = await world.spawn('refusing', { tasks: [{ id: 'u', subject: 'U' }] })
  expect(await world.admin.post('/v1/agent/tasks/create', { agentId, tasks })).toMatchObject({
    status: 400,
    fields: [field],
  })
  expect(
    await world.admin.post('/v1/agent/tasks/update', {
      agentId,
      tasks: [{ id: 'u', activation: { filesModified: { pattern: HOSTILE } } }],
    }),
  ).toMatchObject({ status: 400, fields: [field] })
  expect(await world.queue(agentId, { tasks })).toMatchObject({ status: 400, fields: [field] })
  const persona = { tasks: [{ subject: 'T', activation: { filesModified: { pattern: HOSTILE } } }] }
  expect(await world.admin.write('persona', 'hostile', persona)).toMatchObject({
    status: 400,
    reason: 'DOCUMENT_INVALID',
    fields: [field],
  })
})

test('a pattern of stars that almost matches is decided quickly', async () => {
  const pattern = `${'*a'.repeat(100)}b`
  const { agentId, run } = await world.running('stars', { tasks: [taskOf(pattern)] })
  const before = process.cpuUsage()
  const files = [`${'a'.repeat(4000)}c`, 'aaaaaaaaaaaaaaaaaac']
  const pushed = { type: 'run.pushed', repo: 'r', ref: 'refs/heads/x', commit: 'c', files }
  must(await world.beat(run, { events: [pushed] }))
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500)
  expect(await world.events(agentId, 'task.activated')).toEqual([])
})
