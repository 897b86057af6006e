import { inlineScript } from '@skein/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BACKENDS } from './backends-under-test.ts'
import { RunnerWorld } from './runner-world.ts'

let world: RunnerWorld

beforeAll(async () => {
  world = await RunnerWorld.start()
  await world.useSandbox('process')
  await world.startRunner({ SKEIN_RUNNER_STARTS: '4' })
})

afterAll(() => world.close())

/** One dollar for a thousand tokens. What is cached costs nothing, so that the estimate before a call is nothing too. */
const PRICE = { model: '*', input: 1000, cachedInput: 0, cacheWrite: 1000, output: 1000 }
const usage = { input: 900, cachedInput: 0, cacheWrite: 0, output: 100, reasoning: 0 }

beforeAll(async () => {
  const backend = { efforts: [], tiers: [], prices: [PRICE] }
  await world.write('backend', 'a', { ...backend, models: ['claude-*'], defaultModel: 'claude-sonnet-5' })
  await world.write('backend', 'b', { ...backend, models: ['gpt-*'], defaultModel: 'gpt-5.5' })
})

describe.each(BACKENDS)('backend $backend', ({ backend, model }) => {
  test('tokens and cost are exactly what the calls used', async () => {
    const agentId = await world.spawn(
      `exact-${backend}`,
      [
        { shell: 'true', usage },
        { shell: 'true', usage },
        { say: 'Done.', usage },
      ],
      { model },
    )
    const status = await world.settled(agentId)
    expect(status).toMatchObject({ inputTokens: '2700', outputTokens: '300', totalTokens: '3000', cost: 3 })
  })

  test('an agent over its budget rests and says so; more budget wakes it', async () => {
    const agentId = await world.spawn(
      `capped-${backend}`,
      [
        ...Array.from({ length: 5 }, () => ({ shell: 'true', usage })),
        { tool: 'finish', input: { result: 'Rich.' } },
      ],
      { model, maxCost: 2.5 },
    )
    const resting = await world.settled(agentId)
    expect(resting).toMatchObject({ phase: 'PHASE_WAITING', run: { endReason: 'limit' }, cost: 3 })
    expect(resting.needsInput).toBe('The budget of $2.5 is used up: $3.0000 is spent. Raise it to continue.')
    const raised = await world.admin.post('/v1/agent/budget', { agentId, maxCost: 100 })
    expect(raised.body).toEqual({ resumed: 1 })
    await world.waitUntil('the next turn', async () => (await world.status(agentId)).run.runId === '2')
    const after = await world.settled(agentId)
    expect(after.cost).toBeGreaterThan(3)
  })

  test('a rate limit pauses the run until it resets, then the session continues', async () => {
    const agentId = await world.spawn(
      `limited-${backend}`,
      [
        { shell: 'echo before', usage },
        { error: 429, message: 'Slow down', headers: { 'retry-after': '2' }, times: 4 },
        { tool: 'finish', input: { result: 'Patient.' }, usage },
        { say: 'Bye.', usage },
      ],
      { model },
    )
    await world.waitUntil('a pause', async () => (await world.events(agentId, 'run.paused')).length > 0)
    await world.settled(agentId, 90_000)
    expect((await world.status(agentId)).run).toMatchObject({ runId: '1' })
    expect(await world.events(agentId, 'run.attempt-failed')).toEqual([])
  })
})

test('a tree of a parent and five children under one cap spends no more than the cap and a call in flight for each', async () => {
  const cap = 10
  const child = inlineScript(Array.from({ length: 20 }, () => ({ shell: 'sleep 0.1', usage })))
  const agentId = await world.spawn(
    'family',
    [
      ...[1, 2, 3, 4, 5].map((number) => ({
        tool: 'spawn_child',
        input: {
          name: `child-${number}`,
          task: `Spend.\n\n${child}`,
          model: number % 2 ? 'gpt-5.5' : 'claude-sonnet-5',
        },
        usage: { ...usage, input: 90, output: 10 },
      })),
      ...Array.from({ length: 20 }, () => ({ shell: 'sleep 0.1', usage })),
    ],
    { model: 'gpt-5.5', maxCost: cap },
  )
  await world.waitUntil(
    'everyone at rest',
    async () => {
      const { body } = await world.admin.post('/v1/agents', { parentId: agentId, includeTerminal: true })
      const children = body['entries'] as { phase: string }[]
      const parent = await world.status(agentId)
      return (
        children.length === 5 &&
        [parent, ...children].every(({ phase }) => phase !== 'PHASE_RUNNING' && phase !== 'PHASE_PENDING')
      )
    },
    110_000,
  )
  const { treeCost } = await world.status(agentId)
  console.log(`a tree of 6 under a cap of $${cap} spent $${treeCost}`)
  expect(treeCost).toBeGreaterThanOrEqual(cap - 1)
  expect(treeCost).toBeLessThanOrEqual(cap + 6)
})
