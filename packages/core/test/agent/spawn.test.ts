import { MAX_DEPTH } from '@skein/contract/facts'
import { describe, expect, test } from 'vitest'
import { NO_USAGE, requireDepth } from '../../src/index.ts'
import { identityOf, outcomeOf, QUOTA, refusalOf, SETTINGS, taskOf } from './builders.ts'
import { bring, LIVE, TERMINAL, worldIn } from './phases.ts'
import { World } from './world.ts'

describe('a spawned agent', () => {
  test('is pending, with its description as the first message and its first run queued', () => {
    const world = new World()
    const { followUpId } = world.spawn('root')
    const agent = world.agent('root')
    expect(agent.phase).toBe('PHASE_PENDING')
    expect(agent.queue.map((message) => message.followUpId)).toEqual([followUpId])
    expect(agent.run).toMatchObject({ runId: 1n, attempt: 1, state: 'queued' })
    expect(agent.incarnation).toBe(1)
  })

  test('can start with a message, which counts as one that was sent to it', () => {
    const world = new World()
    const firstFollowUp = { followUpId: 'look', description: 'Look around.' }
    const { followUpId } = world.spawn('root', { firstFollowUp })
    const { queue, run } = world.agent('root')
    expect(queue.map((message) => message.followUpId)).toEqual([followUpId, 'look'])
    expect(run).toMatchObject({ runId: 1n, state: 'queued' })
  })

  test('has the tasks of the request and those of its persona', () => {
    const world = new World()
    world.spawn('root', { tasks: [taskOf('mine')], personaTasks: [taskOf('theirs', { persona: 'default' })] })
    expect(world.agent('root').tasks.map(({ id }) => id)).toEqual(['mine', 'theirs'])
  })

  test.each(LIVE)('is not spawned over while it is alive in %s', (phase) => {
    const world = worldIn(phase)
    expect(refusalOf(() => world.spawn('root'))).toBe('AGENT_ALREADY_EXISTS')
  })

  test('is refused when its tasks do not fit together', () => {
    const world = new World()
    expect(refusalOf(() => world.spawn('root', { tasks: [taskOf('a'), taskOf('a')] }))).toBe(
      'REQUEST_INVALID',
    )
  })
})

describe('spawning over an agent that has ended', () => {
  test.each(TERMINAL)('starts a new incarnation after %s under the same id', (phase) => {
    const world = worldIn(phase)
    const before = world.agent('root')
    const { id } = world.spawn('root', { description: 'Again' })
    expect(world.agent('root')).toMatchObject({
      id,
      phase: 'PHASE_PENDING',
      incarnation: 2,
      description: 'Again',
      runCount: before.runCount + 1n,
    })
    expect(id).toBe(before.id)
  })

  test('starts with a clean slate but for what was spent', () => {
    const world = new World()
    world.spawn('root', { tasks: [taskOf('old')] })
    world.start('root')
    const usage = { ...NO_USAGE, costMicros: 7n }
    world.end('root', outcomeOf('failed', { usage, output: '{}', message: 'Sorry' }))
    world.spawn('root')
    const agent = world.agent('root')
    expect(agent).toMatchObject({ tasks: [], usage, output: '', lastMessage: '', needsInput: '' })
    expect(agent.error).toBeUndefined()
    expect(agent.endedAt).toBeUndefined()
  })

  test('never lets a stale stop affect the new incarnation', () => {
    const world = worldIn('PHASE_COMPLETED')
    const stale = world.agent('root').runCount
    world.spawn('root')
    world.start('root')
    expect(refusalOf(() => world.stop('root', stale))).toBe('RUN_NOT_CURRENT')
  })
})

describe('a child', () => {
  test('needs a parent that exists', () => {
    expect(refusalOf(() => new World().spawn('root/kid'))).toBe('PARENT_NOT_LIVE')
  })

  test.each(TERMINAL)('needs a parent that is not %s', (phase) => {
    const world = worldIn(phase)
    expect(refusalOf(() => world.spawn('root/kid'))).toBe('PARENT_NOT_LIVE')
  })

  test.each(LIVE)('can be spawned under a parent that is %s, and its parent sees it', (phase) => {
    const world = worldIn(phase)
    world.spawn('root/kid')
    expect(world.phase('root/kid')).toBe('PHASE_PENDING')
    expect(world.events('root').slice(-2)).toEqual([
      { type: 'child.spawned', child: identityOf('root/kid') },
      { type: 'child.phase-changed', child: identityOf('root/kid'), phase: 'PHASE_PENDING' },
    ])
    expect(world.phase('root')).toBe(phase)
  })

  test('keeps running when its parent completes, and its parent still hears of it', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    world.end('root', outcomeOf('finished'))
    expect(world.phase('root')).toBe('PHASE_COMPLETED')
    world.start('root/kid')
    expect(world.phase('root/kid')).toBe('PHASE_RUNNING')
    expect(world.events('root').at(-1)).toMatchObject({ type: 'child.phase-changed', phase: 'PHASE_RUNNING' })
  })

  test('gets at most the budget that is left above it', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/more', { maxCostMicros: 10n }, 4n)
    world.spawn('root/less', { maxCostMicros: 3n }, 4n)
    world.spawn('root/free', { maxCostMicros: 10n })
    expect(world.agent('root/more').maxCostMicros).toBe(4n)
    expect(world.agent('root/less').maxCostMicros).toBe(3n)
    expect(world.agent('root/free').maxCostMicros).toBe(10n)
  })

  test('that asks for no budget leaves the budgets above in charge', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid', {}, 4n)
    expect(world.agent('root/kid').maxCostMicros).toBe(0n)
  })

  test.each([0n, -5n])('that asks for a budget is refused if %d is left above it', (left) => {
    const world = worldIn('PHASE_RUNNING')
    expect(refusalOf(() => world.spawn('root/kid', { maxCostMicros: 10n }, left))).toBe('BUDGET_USED_UP')
    // Without one, the budget above holds it.
    world.spawn('root/kid', {}, left)
    expect(world.agent('root/kid').maxCostMicros).toBe(0n)
  })

  test('is at most eight levels deep', () => {
    const deepest = Array.from({ length: MAX_DEPTH }, () => 'a').join('/')
    expect(refusalOf(() => requireDepth(identityOf(deepest)))).toBeUndefined()
    expect(refusalOf(() => requireDepth(identityOf(`${deepest}/a`)))).toBe('REQUEST_INVALID')
    expect(refusalOf(() => requireDepth({ ...identityOf('a'), path: [] }))).toBe('REQUEST_INVALID')
  })
})

describe('the limits of a tenant', () => {
  test('reject a spawn when too many agents are alive, and say when to retry', () => {
    const world = new World()
    world.quota = { ...QUOTA, liveAgents: 1 }
    world.spawn('root')
    expect(() => world.spawn('other')).toThrow(
      expect.objectContaining({ reason: 'QUOTA_EXCEEDED', retryDelayMs: 10_000 }),
    )
    bring(world, 'root', 'PHASE_CANCELED')
    expect(refusalOf(() => world.spawn('other'))).toBeUndefined()
  })

  test('stop a spawn when the parent has too many live children', () => {
    const world = worldIn('PHASE_RUNNING')
    world.quota = { ...QUOTA, childrenPerAgent: 1 }
    world.spawn('root/one')
    expect(refusalOf(() => world.spawn('root/two'))).toBe('QUOTA_EXCEEDED')
    world.kill('root/one')
    expect(refusalOf(() => world.spawn('root/two'))).toBeUndefined()
  })

  test('do not count roots as each other’s children', () => {
    const world = new World()
    world.quota = { ...QUOTA, childrenPerAgent: 0 }
    expect(refusalOf(() => world.spawn('root'))).toBeUndefined()
  })

  test('stop a spawn with too many tasks, those of the persona included', () => {
    const world = new World()
    world.quota = { ...QUOTA, tasksPerAgent: 1 }
    const tasks = { tasks: [taskOf('a')], personaTasks: [taskOf('b', { persona: SETTINGS.persona })] }
    expect(refusalOf(() => world.spawn('root', tasks))).toBe('QUOTA_EXCEEDED')
  })
})
