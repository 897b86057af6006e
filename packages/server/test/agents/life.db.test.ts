import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

test('an agent is spawned, run, stopped, messaged and completes, and its timeline shows it all', async () => {
  const { agentId, run } = await world.running('fixer', { tasks: [{ id: 't1', subject: 'Do it' }] })
  const usage = { cost: 0.5, inputTokens: 10, cachedInputTokens: '5', outputTokens: '7' }
  const beat = await world.beat(run, { events: [{ type: 'run.message', text: 'hi' }], usage })
  expect(beat.body).toEqual({ runs: [{ lease: run.lease, isCurrent: true, commands: [] }] })
  await world.queue(agentId, { followUpId: 'f1' })
  await world.stop(agentId, 1)
  await world.complete(run, { reason: 'interrupted' })
  const second = await world.take(agentId)
  const done = { agentId, tasks: [{ id: 't1', status: 'TASK_STATUS_COMPLETED' }] }
  await world.admin.post('/v1/agent/tasks/update', done)
  await world.complete(second, { reason: 'finished', message: 'done' })
  const waited = await world.admin.post('/v1/agent/wait', { agentId })
  expect(waited.body).toMatchObject({ reason: 'WAIT_REASON_COMPLETED', status: { cost: 0.5 } })
  expect((await world.timeline(agentId)).map(({ type }) => type)).toEqual([
    'agent.spawned',
    'task.created',
    'follow-up.queued',
    'agent.phase-changed',
    'run.queued',
    'follow-up.delivered',
    'run.started',
    'agent.phase-changed',
    'run.message',
    'run.metered',
    'follow-up.queued',
    'run.stop-requested',
    'run.ended',
    'agent.phase-changed',
    'run.queued',
    'follow-up.delivered',
    'run.started',
    'agent.phase-changed',
    'task.updated',
    'run.ended',
    'agent.phase-changed',
  ])
})

test('what is reported with the end of a run precedes it and counts once, also if it is sent twice', async () => {
  const { agentId, run } = await world.running('last-words')
  const message = { followUpId: 'f1', description: 'And this.' }
  await world.queue(agentId, { ...message, steer: true })
  const body = {
    lease: run.lease,
    events: [
      { type: 'run.steered', followUpId: 'f1' },
      { type: 'run.message', text: 'Done.' },
    ],
    outcome: {
      reason: 'rested',
      message: 'Done.',
      usage: { cost: 0.5, inputTokens: '10', cachedInputTokens: '5', outputTokens: '7' },
    },
  }
  for (const _time of [1, 2])
    expect((await world.runner.post('/v1/runner/complete', body)).body).toEqual({ accepted: true })
  const types = (await world.timeline(agentId)).map(({ type }) => type)
  expect(types.slice(types.lastIndexOf('run.started') + 2)).toEqual([
    'follow-up.queued',
    'follow-up.delivered',
    'run.message',
    'run.metered',
    'run.ended',
    'agent.phase-changed',
  ])
  expect(await world.status(agentId)).toMatchObject({ cost: 0.5, phase: 'PHASE_WAITING' })
})
