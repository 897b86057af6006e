import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, must } from './agent-world.ts'

let world: AgentWorld

beforeAll(async () => {
  world = await AgentWorld.start()
})

afterAll(() => world.close())

const spend = (cost: number) => ({
  usage: { cost, inputTokens: '10', cachedInputTokens: '0', outputTokens: '1' },
})
const budgetIn = ({ body }: { body: Record<string, unknown> }) =>
  (body['runs'] as { budget?: object }[])[0]?.budget
const overBudget = { reason: 'limit', limit: 'budget', needsInput: 'The budget is used up.' } as const

describe('a budget', () => {
  test('is sent to the runner with the run, and with each report that asks for it', async () => {
    const { run } = await world.running('capped', { maxCost: 2 })
    expect(run.budget).toEqual({ isCapped: true, maxCost: 2, spent: 0 })
    expect(budgetIn(await world.beat(run))).toBeUndefined()
    expect(budgetIn(await world.beat(run, { ...spend(0.5), wantsBudget: true }))).toEqual({
      isCapped: true,
      maxCost: 2,
      spent: 0.5,
    })
  })

  test('covers the whole subtree, whichever agent spends', async () => {
    const { run: parent } = await world.running('family', { maxCost: 1 })
    const { run: child } = await world.running(['family', 'child'])
    await world.beat(child, spend(0.75))
    expect(budgetIn(await world.beat(parent, { wantsBudget: true }))).toMatchObject({
      maxCost: 1,
      spent: 0.75,
    })
    expect(budgetIn(await world.beat(child, { wantsBudget: true }))).toMatchObject({
      maxCost: 1,
      spent: 0.75,
    })
  })

  test('of the tightest above counts', async () => {
    await world.running('rich', { maxCost: 100 })
    const { run } = await world.running(['rich', 'poor'], { maxCost: 1 })
    expect(run.budget).toMatchObject({ maxCost: 1 })
  })

  test('that nobody has is reported as unknown', async () => {
    const { run } = await world.running('free')
    expect(run.budget).toEqual({ isCapped: false, maxCost: 0, spent: 0 })
  })

  test('that is raised wakes everyone below who rests because it was used up, once', async () => {
    const { agentId, run } = await world.running('broke', { maxCost: 1 })
    const { agentId: childId, run: child } = await world.running(['broke', 'child'])
    await world.beat(child, spend(1.5))
    await world.complete(child, overBudget)
    await world.complete(run, overBudget)
    expect(await world.status(agentId)).toMatchObject({
      phase: 'PHASE_WAITING',
      needsInput: 'The budget is used up.',
      run: { endReason: 'limit' },
    })
    const raise = (maxCost: number) => world.admin.post('/v1/agent/budget', { agentId, maxCost })
    expect(must(await raise(1.2)).body).toEqual({ resumed: 0 })
    expect(must(await raise(3)).body).toEqual({ resumed: 2 })
    expect(must(await raise(3)).body).toEqual({ resumed: 0 })
    expect((await world.take(agentId)).budget).toEqual({ isCapped: true, maxCost: 3, spent: 1.5 })
    expect((await world.take(childId)).messages[0]?.description).toContain('budget')
    expect(await world.events(agentId, 'agent.budget-changed')).toMatchObject([
      { maxCost: 1.2 },
      { maxCost: 3 },
    ])
  })

  test('of a new incarnation is not used up by earlier ones', async () => {
    const { agentId, run } = await world.running('again', { maxCost: 1 })
    await world.beat(run, spend(1))
    await world.kill(agentId)
    const { run: second } = await world.running('again', { maxCost: 1 })
    expect(second.budget).toEqual({ isCapped: true, maxCost: 1, spent: 0 })
    expect((await world.status(agentId)).treeCost).toBe(1)
  })

  test('of an agent that has ended or never was cannot be changed', async () => {
    const agentId = await world.spawn('late')
    await world.kill(agentId)
    const set = (agent: string) =>
      world.admin.post('/v1/agent/budget', { agentId: { ...agentId, agent: [agent] }, maxCost: 1 })
    expect(await set('late')).toMatchObject({ status: 404, reason: 'AGENT_NOT_RUNNING' })
    expect(await set('never')).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })
})
