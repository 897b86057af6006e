import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const resume = (fields: Record<string, unknown>) =>
  world.admin.post('/v1/agent/spawn', { description: 'Also this.', resume: true, ...fields })
const named = (...agent: string[]) => ({ agentId: { agent } })

describe('continuing an agent that has ended', () => {
  test('hands its conversation, settings, open tasks and budget to the next run', async () => {
    const { agentId, run } = await world.running('continued', {
      description: 'Fix it.',
      expectedOutput: 'A commit.',
      model: 'opus',
      maxCost: 5,
      labels: { team: 'web' },
      tasks: [{ id: 'open', subject: 'Test it' }],
    })
    const usage = { cost: 2, inputTokens: '1', cachedInputTokens: '0', outputTokens: '1' }
    await world.complete(run, { reason: 'rested', session: 'saved-1', usage })
    await world.kill(agentId)
    const { status, body } = await resume(named('continued'))
    expect({ status, agentId: body['agentId'] }).toEqual({ status: 200, agentId })
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_PENDING',
      description: 'Fix it.',
      expectedOutput: 'A commit.',
      model: 'opus',
      maxCost: 5,
      labels: { team: 'web' },
      tasks: [{ id: 'open', status: 'TASK_STATUS_PENDING' }],
      followUps: [{ followUpId: body['followUpId'], description: 'Also this.' }],
    })
    expect(await world.take(agentId)).toMatchObject({
      runId: '2',
      session: 'saved-1',
      messages: [{ description: 'Also this.' }],
      runsBefore: '1',
      resumed: true,
      unanswered: ['Fix it.'],
      budget: { isCapped: true, maxCost: 5, spent: 2 },
    })
    const lives = await world.events(agentId, 'agent.spawned')
    expect(lives.map(({ incarnation, resumed }) => [incarnation, resumed])).toEqual([
      ['1', false],
      ['2', true],
    ])
  })

  test('in later runs of that incarnation includes what was asked in it, and nothing more', async () => {
    const { agentId, run } = await world.running('later-runs')
    await world.complete(run, { reason: 'failed', session: 'saved-1' })
    await resume(named('later-runs'))
    await world.complete(await world.take(agentId), { reason: 'rested', session: 'saved-2' })
    await world.queue(agentId, { description: 'And this.' })
    expect(await world.take(agentId)).toMatchObject({
      session: 'saved-2',
      messages: [{ description: 'And this.' }],
      unanswered: [],
    })
  })

  test('takes what the request sets, but no model of another backend', async () => {
    await world.admin.write('persona', 'reviewer', { prompt: 'Review.', tasks: [{ subject: 'Read it' }] })
    const { agentId, run } = await world.running('changed', { model: 'opus' })
    await world.complete(run, { reason: 'finished' })
    expect(await resume({ ...named('changed'), model: 'gpt-5.5' })).toMatchObject({
      status: 400,
      reason: 'MODEL_SETTINGS_INVALID',
    })
    await resume({ ...named('changed'), agent: 'reviewer', maxCost: 3, autoComplete: true })
    expect(await world.status(agentId)).toMatchObject({
      persona: 'reviewer',
      model: 'opus',
      maxCost: 3,
      tasks: [{ subject: 'Read it', persona: 'reviewer' }],
    })
  })

  test('is refused for one that never existed, that is alive, or that has no name', async () => {
    expect(await resume(named('nobody'))).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
    await world.resting('alive')
    expect(await resume(named('alive'))).toMatchObject({ status: 409, reason: 'AGENT_ALREADY_EXISTS' })
    expect(await resume({})).toMatchObject({ status: 400, fields: ['agentId.agent'] })
  })

  test('is refused once the conversation is no longer kept, and says what to do', async () => {
    const { agentId, run } = await world.running('expired')
    await world.complete(run, { reason: 'finished', session: 'saved-1' })
    await world.sql(
      `update agent set state = jsonb_set(state::jsonb, '{endedAt}', to_jsonb($2::bigint))::json
       where key = 'default/PROVIDER_CODEHOST_OAUTH/ada/expired' and tenant_id = $1`,
      [world.tenant.id, Date.now() - 31 * 86_400_000],
    )
    const refused = await resume(named('expired'))
    expect(refused).toMatchObject({ status: 400, reason: 'SESSION_EXPIRED', body: { code: 9 } })
    await world.spawn('expired')
    expect(await world.take(agentId)).toMatchObject({ session: '', resumed: false, runsBefore: '1' })
  })

  test('happens once, however many try at the same time', async () => {
    const { agentId, run } = await world.running('raced')
    await world.complete(run, { reason: 'finished' })
    const answers = await Promise.all(Array.from({ length: 3 }, () => resume(named('raced'))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await world.status(agentId)).runCount).toBe('2')
  })
})

describe('a message for an agent that has ended', () => {
  test('is not found, and the answer says how to continue it', async () => {
    const { agentId, run } = await world.running('gone')
    await world.complete(run, { reason: 'finished' })
    const refused = await world.queue(agentId)
    expect(refused).toMatchObject({ status: 404, reason: 'AGENT_NOT_RUNNING' })
  })
})
