import type { AgentId, FleetEntry } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld, must } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
  must(await world.admin.write('pool', 'lab', {}))
  must(await world.admin.write('workspace', 'lab', { repos: [], pool: 'lab' }))
  // With two of its own, a tenant’s agents are in the built-in workspace unless they say otherwise.
  must(await world.admin.write('workspace', 'shop', { repos: [] }))
})

afterAll(() => world.close())

async function listed(agentId: AgentId): Promise<FleetEntry | undefined> {
  const answer = must(await world.admin.post('/v1/fleet', { under: agentId }))
  return (answer.body['entries'] as FleetEntry[])[0]
}

test('an agent whose pool has no runner says so in its status and in lists', async () => {
  const agentId = await world.spawn('alone', { agentId: { workspace: 'lab' } })
  const reason = { pendingReason: 'no runner in pool lab', pendingUntil: '' }
  expect(await world.status(agentId)).toMatchObject(reason)
  expect(await listed(agentId)).toMatchObject(reason)
  const roots = must(await world.admin.post('/v1/agents', {})).body['entries']
  expect(roots).toContainEqual(expect.objectContaining({ ...reason, agentId }))
})

test('an agent whose runners are busy waits for a slot', async () => {
  await world.poll()
  const agentId = await world.spawn('next')
  // The server may remember for a second that there was no runner.
  const { pendingReason } = await waitFor(
    async () => {
      const status = await world.status(agentId)
      return status.pendingReason.startsWith('no runner') ? undefined : status
    },
    { what: 'a runner that is known' },
  )
  expect(pendingReason).toBe('waiting for a slot in pool default')
})

test('a retry says when it begins, and nothing is left of it afterwards', async () => {
  const { agentId, run } = await world.running('failing')
  const error = { code: 'overloaded', message: 'Too busy.', isRetryable: true }
  await world.complete(run, { reason: 'failed', error, retryAfterMs: 60_000 })
  const { pendingReason, pendingUntil } = await world.status(agentId)
  expect(pendingReason).toBe('retrying')
  expect(Date.parse(pendingUntil)).toBeGreaterThan(Date.now() + 30_000)
  await world.skipBackOff()
  await world.take(agentId)
  expect(await world.status(agentId)).toMatchObject({ pendingReason: '', pendingUntil: '' })
})

test('a parent names the number of children that it waits for', async () => {
  const { agentId, run } = await world.running('parent')
  await world.running(['parent', 'child'])
  await world.complete(run, { reason: 'rested', awaits: ['child'] })
  expect((await world.status(agentId)).pendingReason).toBe('waiting for 1 child')
})

test('an inactive task is neither open nor part of the progress', async () => {
  const tasks = [
    { id: 'always', subject: 'Always' },
    { id: 'later', subject: 'When docs change', activation: { filesModified: { pattern: 'docs/**' } } },
  ]
  const { agentId, run } = await world.running('listed', { tasks })
  expect(await listed(agentId)).toMatchObject({ openTasks: 1, totalTasks: 1 })
  expect((await world.status(agentId)).openTaskIds).toEqual(['always'])
  const pushed = {
    type: 'run.pushed',
    repo: 'r',
    ref: 'refs/heads/x',
    commit: 'a'.repeat(40),
    files: ['docs/a.md'],
  }
  must(await world.beat(run, { reportId: 'r1', events: [pushed] }))
  expect(await listed(agentId)).toMatchObject({ openTasks: 2, totalTasks: 2 })
})
