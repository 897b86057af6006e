import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const remove = (agentId: AgentId, followUpId: string) =>
  world.admin.post('/v1/agent/queue/remove', { agentId, followUpId })
const clear = (agentId: AgentId) => world.admin.post('/v1/agent/clear-follow-ups', { agentId })
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const nobody = { agent: ['nobody'], workspace: 'default' } as AgentId

describe('removing a follow-up', () => {
  test('that is queued takes it out of the queue and says so', async () => {
    const { agentId, run } = await world.running('queued')
    await world.queue(agentId, { followUpId: 'one' })
    await world.queue(agentId, { followUpId: 'two' })
    expect((await remove(agentId, 'one')).body).toEqual({ removed: true })
    expect(await world.events(agentId, 'follow-up.removed')).toMatchObject([{ followUpId: 'one' }])
    await world.complete(run, { reason: 'rested' })
    expect((await world.take(agentId)).messages).toMatchObject([{ followUpId: 'two' }])
  })

  test('that is deferred cancels it permanently', async () => {
    const agentId = await world.resting('deferred')
    await world.queue(agentId, { followUpId: 'later', deliverAt: inAnHour() })
    expect((await remove(agentId, 'later')).body).toEqual({ removed: true })
    expect(await world.status(agentId)).toMatchObject({ phase: 'PHASE_WAITING', followUps: [] })
    expect(await world.sql('select from timer')).toEqual([])
  })

  test('twice is harmless: the second time there was none', async () => {
    const { agentId } = await world.running('twice')
    await world.queue(agentId, { followUpId: 'one' })
    await remove(agentId, 'one')
    expect((await remove(agentId, 'one')).body).toEqual({ removed: false })
  })

  test('that was delivered, cleared or never queued says that there was none', async () => {
    const { agentId, run } = await world.running('gone')
    await world.queue(agentId, { followUpId: 'cleared' })
    await clear(agentId)
    await world.queue(agentId, { followUpId: 'delivered' })
    await world.complete(run, { reason: 'rested' })
    await world.take(agentId)
    for (const followUpId of ['cleared', 'delivered', 'never']) {
      expect((await remove(agentId, followUpId)).body).toEqual({ removed: false })
    }
  })

  test('needs an agent that exists, and a follow-up id', async () => {
    expect(await remove(nobody, 'one')).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
    expect((await remove(nobody, '')).fields).toEqual(['followUpId'])
  })

  test('of an ended agent answers instead of failing', async () => {
    const agentId = await world.resting('ended')
    await world.queue(agentId, { followUpId: 'later', deliverAt: inAnHour() })
    await world.kill(agentId)
    expect((await remove(agentId, 'never')).body).toEqual({ removed: false })
    expect((await remove(agentId, 'later')).body).toEqual({ removed: false })
  })

  test('at the moment of its delivery has it either removed or delivered, never both', async () => {
    const outcomes: string[] = []
    for (let round = 0; round < 10; round++) {
      const agentId = await world.resting(`race-${round}`)
      await world.queue(agentId, { followUpId: 'raced' })
      const [removed] = await Promise.all([remove(agentId, 'raced'), world.hasRun(agentId)])
      const delivered = await world.events(agentId, 'follow-up.delivered')
      const isDelivered = delivered.some(({ followUpId }) => followUpId === 'raced')
      expect(removed.body['removed']).toBe(!isDelivered)
      outcomes.push(isDelivered ? 'delivered' : 'removed')
    }
    expect(outcomes).toHaveLength(10)
  })

  test('that was all a run had to say takes the run back and lets the agent rest', async () => {
    const agentId = await world.resting('withdrawn')
    await world.queue(agentId, { followUpId: 'only' })
    await remove(agentId, 'only')
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
    expect(await world.hasRun(agentId)).toBe(false)
  })
})

describe('clearing the follow-ups', () => {
  test('discards and counts what is queued', async () => {
    const { agentId, run } = await world.running('counted')
    for (const followUpId of ['one', 'two', 'three']) await world.queue(agentId, { followUpId })
    expect((await clear(agentId)).body).toEqual({ cleared: 3 })
    const events = await world.events(agentId, 'follow-up.cleared')
    expect(events.map(({ followUpId }) => followUpId)).toEqual(['one', 'two', 'three'])
    expect(await world.phase(agentId)).toBe('PHASE_RUNNING')
    await world.complete(run, { reason: 'rested' })
    expect(await world.phase(agentId)).toBe('PHASE_WAITING')
  })

  test('of an agent that has none counts zero', async () => {
    const agentId = await world.resting('none')
    expect((await clear(agentId)).body).toEqual({ cleared: 0 })
  })

  test('leaves deferred messages', async () => {
    const { agentId } = await world.running('deferring')
    await world.queue(agentId, { followUpId: 'later', deliverAt: inAnHour() })
    await world.queue(agentId, { followUpId: 'now' })
    expect((await clear(agentId)).body).toEqual({ cleared: 1 })
    expect((await world.status(agentId)).followUps).toMatchObject([
      { followUpId: 'later', state: 'DEFERRED' },
    ])
  })

  test('needs an agent that exists', async () => {
    expect(await clear(nobody)).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND', body: { code: 5 } })
  })

  test('does not withdraw a retry, whose messages have been delivered', async () => {
    const { agentId, run } = await world.running('retrying')
    const error = { code: 'x', message: 'x', isRetryable: true }
    await world.complete(run, { reason: 'failed', error })
    expect((await clear(agentId)).body).toEqual({ cleared: 0 })
    await world.skipBackOff()
    expect(await world.take(agentId)).toMatchObject({ runId: '1', attempt: 2 })
  })
})
