import type { AgentId } from '@skein/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const NOT_CURRENT = { status: 400, reason: 'RUN_NOT_CURRENT', body: { code: 3 }, fields: ['runId'] }

describe('a stop', () => {
  test('interrupts the given turn, and the agent stays alive', async () => {
    const { agentId, run } = await world.running('stopped')
    const stop = await world.stop(agentId, '1')
    expect(stop).toMatchObject({ status: 200, text: '{}' })
    expect((await world.status(agentId)).run.stopMode).toBe('STOP_TURN_MODE_INTERRUPT')
    expect((await world.beat(run)).body['runs']).toMatchObject([
      { isCurrent: true, commands: [{ type: 'INTERRUPT' }] },
    ])
    const usage = { cost: 0.5, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }
    await world.complete(run, { reason: 'interrupted', message: 'So far.', usage })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      cost: 0.5,
      lastMessage: 'So far.',
      run: { state: 'RUN_STATE_ENDED', endReason: 'interrupted' },
    })
    expect((await world.queue(agentId)).status).toBe(200)
  })

  test.each([
    ['as a string', '1'],
    ['as a bare number', 1],
  ])('takes the run number %s', async (_how, runId) => {
    const { agentId } = await world.running(`number-${typeof runId}`)
    expect((await world.stop(agentId, runId)).status).toBe(200)
  })

  test.each([['STOP_TURN_MODE_UNSPECIFIED'], ['STOP_TURN_MODE_INTERRUPT']])(
    'in mode %s interrupts',
    async (mode) => {
      const { agentId } = await world.running(mode.toLowerCase().replaceAll('_', '-'))
      await world.stop(agentId, '1', mode)
      expect((await world.status(agentId)).run.stopMode).toBe('STOP_TURN_MODE_INTERRUPT')
    },
  )

  test('in mode KILL ends the turn immediately, and a killed turn says so', async () => {
    const { agentId, run } = await world.running('killed')
    await world.stop(agentId, '1', 'STOP_TURN_MODE_KILL')
    expect((await world.beat(run)).body['runs']).toMatchObject([{ commands: [{ type: 'KILL' }] }])
    await world.complete(run, { reason: 'killed' })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      run: { endReason: 'killed', stopMode: 'STOP_TURN_MODE_KILL' },
    })
  })

  test('is not escalated by itself, but a second one may kill where the first only interrupted', async () => {
    const { agentId, run } = await world.running('escalated')
    await world.stop(agentId, '1', 'STOP_TURN_MODE_INTERRUPT')
    await world.stop(agentId, '1', 'STOP_TURN_MODE_INTERRUPT')
    expect((await world.beat(run)).body['runs']).toMatchObject([{ commands: [{ type: 'INTERRUPT' }] }])
    await world.stop(agentId, '1', 'STOP_TURN_MODE_KILL')
    expect((await world.beat(run)).body['runs']).toMatchObject([{ commands: [{ type: 'KILL' }] }])
    await world.stop(agentId, '1', 'STOP_TURN_MODE_INTERRUPT')
    expect((await world.beat(run)).body['runs']).toMatchObject([{ commands: [{ type: 'KILL' }] }])
    expect(await world.events(agentId, 'run.stop-requested')).toHaveLength(2)
  })

  test('that is retried never hits a newer turn', async () => {
    const { agentId, run } = await world.running('newer')
    await world.queue(agentId)
    await world.stop(agentId, '1')
    await world.complete(run, { reason: 'interrupted' })
    const second = await world.take(agentId)
    expect(await world.stop(agentId, '1')).toMatchObject(NOT_CURRENT)
    expect((await world.beat(second)).body['runs']).toMatchObject([{ isCurrent: true, commands: [] }])
    expect((await world.status(agentId)).run.stopMode).toBe('STOP_TURN_MODE_UNSPECIFIED')
  })

  test('lets what is queued run next', async () => {
    const { agentId, run } = await world.running('next')
    await world.queue(agentId, { followUpId: 'next' })
    await world.stop(agentId, '1')
    await world.complete(run, { reason: 'interrupted' })
    expect((await world.take(agentId)).messages).toMatchObject([{ followUpId: 'next' }])
  })
})

describe('a stop is refused', () => {
  test('without a run number', async () => {
    const { agentId } = await world.running('omitted')
    const answer = await world.admin.post('/v1/agent/stop-turn', { agentId })
    expect(answer).toMatchObject({ status: 400, body: { code: 3 }, fields: ['runId'] })
  })

  test('with a run number that is stale, ahead, zero or negative', async () => {
    const { agentId } = await world.running('wrong')
    for (const runId of ['0', '2', '-1', '9223372036854775807']) {
      expect(await world.stop(agentId, runId)).toMatchObject(NOT_CURRENT)
    }
  })

  test('with an invalid run number', async () => {
    const { agentId } = await world.running('malformed')
    for (const runId of ['', 'one', '1.0', 1.5, '1e0', '9223372036854775808', true]) {
      const answer = await world.stop(agentId, runId)
      expect([runId, answer.status, answer.body['code']]).toEqual([runId, 400, 3])
    }
  })

  test('while no turn is running: pending, idle or ended', async () => {
    const pending = await world.spawn('pending')
    expect(await world.stop(pending, '1')).toMatchObject(NOT_CURRENT)
    const resting = await world.resting('resting')
    expect(await world.stop(resting, '1')).toMatchObject(NOT_CURRENT)
    const ended = await world.running('ended')
    await world.complete(ended.run, { reason: 'finished' })
    expect(await world.stop(ended.agentId, '1')).toMatchObject(NOT_CURRENT)
  })

  test('while a retry waits for its back-off', async () => {
    const { agentId, run } = await world.running('backing-off')
    const error = { code: 'x', message: 'x', isRetryable: true }
    await world.complete(run, { reason: 'failed', error })
    expect(await world.stop(agentId, '1')).toMatchObject(NOT_CURRENT)
  })

  test('with a mode that nobody knows', async () => {
    const { agentId } = await world.running('mode')
    expect((await world.stop(agentId, '1', 'STOP_TURN_MODE_GENTLY')).fields).toEqual(['mode'])
  })

  test('for an agent that does not exist', async () => {
    const agentId = { agent: ['nobody'], workspace: 'default' } as AgentId
    expect(await world.stop(agentId, '1')).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })
})

test('a stopped turn is not retried when its runner is lost or fails', async () => {
  const lost = await world.running('stopped-then-lost')
  await world.stop(lost.agentId, '1', 'STOP_TURN_MODE_KILL')
  await world.expireLease(lost.run)
  await world.sweep()
  expect(await world.status(lost.agentId)).toMatchObject({
    phase: 'PHASE_WAITING',
    run: { endReason: 'killed' },
  })
  const failing = await world.running('stopped-then-failed')
  await world.stop(failing.agentId, '1')
  const error = { code: 'x', message: 'x', isRetryable: true }
  await world.complete(failing.run, { reason: 'failed', error })
  expect(await world.status(failing.agentId)).toMatchObject({
    phase: 'PHASE_WAITING',
    run: { endReason: 'interrupted' },
  })
})
