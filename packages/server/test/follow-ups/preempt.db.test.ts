import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test('a preempting message clears the queue, interrupts the turn and runs next, all in one step', async () => {
  const { agentId, run } = await world.running('busy')
  await world.queue(agentId, { followUpId: 'one' })
  await world.queue(agentId, { followUpId: 'two' })
  const before = (await world.timeline(agentId)).length
  expect((await world.queue(agentId, { followUpId: 'urgent', preempt: true })).status).toBe(200)
  const events = (await world.timeline(agentId)).slice(before)
  expect(events.map(({ type }) => type)).toEqual([
    'follow-up.cleared',
    'follow-up.cleared',
    'run.stop-requested',
    'follow-up.queued',
  ])
  expect(new Set(events.map(({ time }) => time)).size).toBe(1)
  expect(await world.status(agentId)).toMatchObject({
    phase: 'PHASE_RUNNING',
    followUps: [{ followUpId: 'urgent' }],
    run: { runId: '1', stopMode: 'STOP_TURN_MODE_INTERRUPT' },
  })
  expect((await world.beat(run)).body['runs']).toMatchObject([{ commands: [{ type: 'INTERRUPT' }] }])
  await world.complete(run, { reason: 'interrupted' })
  const next = await world.take(agentId)
  expect(next.runId).toBe('2')
  expect(next.messages.map(({ followUpId }) => followUpId)).toEqual(['urgent'])
})

test('preempting an idle agent wakes it with that message', async () => {
  const agentId = await world.resting('idle')
  await world.queue(agentId, { followUpId: 'urgent', preempt: true })
  expect((await world.take(agentId)).messages).toMatchObject([{ followUpId: 'urgent' }])
})

test('preempting a turn that has not begun leaves it to begin, with that message alone', async () => {
  const agentId = await world.spawn('starting')
  await world.queue(agentId, { followUpId: 'urgent', preempt: true })
  const status = await world.status(agentId)
  expect(status).toMatchObject({ run: { runId: '1', stopMode: 'STOP_TURN_MODE_UNSPECIFIED' } })
  const run = await world.take(agentId)
  expect(run).toMatchObject({ runId: '1', messages: [{ followUpId: 'urgent' }] })
})

test('preempting does not soften a kill of the turn that was asked for before', async () => {
  const { agentId, run } = await world.running('killed-turn')
  await world.stop(agentId, '1', 'STOP_TURN_MODE_KILL')
  await world.queue(agentId, { preempt: true })
  expect((await world.beat(run)).body['runs']).toMatchObject([{ commands: [{ type: 'KILL' }] }])
})

test('preempting leaves deferred messages to their time', async () => {
  const { agentId } = await world.running('deferring')
  await world.queue(agentId, { followUpId: 'later', deliverAt: inAnHour() })
  await world.queue(agentId, { followUpId: 'soon' })
  await world.queue(agentId, { followUpId: 'urgent', preempt: true })
  const { followUps } = await world.status(agentId)
  expect(followUps.map(({ followUpId, state }) => [followUpId, state])).toEqual([
    ['later', 'DEFERRED'],
    ['urgent', 'QUEUED'],
  ])
})

test('preempting cannot be combined with a delay', async () => {
  const { agentId } = await world.running('both')
  await world.queue(agentId, { followUpId: 'one' })
  const answer = await world.queue(agentId, { preempt: true, deliverAt: inAnHour() })
  expect(answer).toMatchObject({ status: 400, body: { code: 3 }, fields: ['deliverAt'] })
  expect((await world.status(agentId)).followUps).toMatchObject([{ followUpId: 'one' }])
})

test('a refused preempting message clears and interrupts nothing', async () => {
  const { agentId } = await world.running('refused')
  await world.queue(agentId, { followUpId: 'one' })
  expect((await world.queue(agentId, { preempt: true, model: 'gpt-5.5' })).status).toBe(400)
  expect(await world.status(agentId)).toMatchObject({
    followUps: [{ followUpId: 'one' }],
    run: { stopMode: 'STOP_TURN_MODE_UNSPECIFIED' },
  })
})
