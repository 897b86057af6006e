import { describe, expect, test } from 'vitest'
import { deliveryBatch, type SettingsOverride } from '../../src/index.ts'
import { outcomeOf, SETTINGS, taskOf } from './builders.ts'
import { worldIn } from './phases.ts'
import type { World } from './world.ts'

const queued = (world: World) => world.agent('root').queue.map(({ followUpId }) => followUpId)
const taskIds = (world: World) => world.agent('root').tasks.map(({ id }) => id)

/** Ends the turn and begins the next. */
function nextTurn(world: World): void {
  world.end('root', outcomeOf('rested'))
  world.start('root')
}

describe('a delivery batch', () => {
  test('is everything that is queued, oldest first, when nothing overrides', () => {
    const world = worldIn('PHASE_RUNNING')
    for (const followUpId of ['a', 'b', 'c']) world.queue('root', { followUpId })
    nextTurn(world)
    expect(world.events('root').filter(({ type }) => type === 'follow-up.delivered')).toMatchObject([
      { runId: 1n },
      { followUpId: 'a', runId: 2n },
      { followUpId: 'b', runId: 2n },
      { followUpId: 'c', runId: 2n },
    ])
  })

  test.each<[string, SettingsOverride]>([
    ['persona', { persona: 'reviewer', personaGeneration: '4' }],
    ['model', { model: 'a-big' }],
    ['effort', { reasoningEffort: 'high' }],
    ['tier', { serviceTier: 'fast' }],
    ['fast mode, even off', { fastMode: false }],
    ['schema', { outputSchema: '{}' }],
  ])('ends before a message that overrides the %s, which starts a run of its own', (_what, override) => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'a' })
    world.queue('root', { followUpId: 'b', override })
    world.queue('root', { followUpId: 'c' })
    nextTurn(world)
    expect(queued(world)).toEqual(['b', 'c'])
    expect(world.agent('root').settings).toEqual(SETTINGS)
    nextTurn(world)
    expect(queued(world)).toEqual([])
    expect(world.agent('root').settings).toEqual({ ...SETTINGS, ...override })
  })

  test('ends before each of two overrides in a row', () => {
    const overriding = { hasOverride: true, taskCount: 0, bytes: 1 }
    const queue = [
      { followUpId: 'a', ...overriding },
      { followUpId: 'b', ...overriding },
      { followUpId: 'c', hasOverride: false, taskCount: 0, bytes: 1 },
    ]
    expect(deliveryBatch(queue)).toEqual([queue[0]])
    expect(deliveryBatch(queue.slice(1))).toEqual(queue.slice(1))
    expect(deliveryBatch([])).toEqual([])
  })

  test('leaves what is queued during a turn for the next turn, even when the turn is retried', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'a' })
    world.lose('root')
    world.start('root')
    expect(queued(world)).toEqual(['a'])
    nextTurn(world)
    expect(queued(world)).toEqual([])
    expect(world.agent('root').run?.runId).toBe(2n)
  })

  test('holds an outside object’s task once', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { tasks: [taskOf('a', { dedupKey: 'thread-1' }), taskOf('b')] })
    world.queue('root', { tasks: [taskOf('c', { dedupKey: 'thread-1' }), taskOf('d')] })
    nextTurn(world)
    expect(taskIds(world)).toEqual(['a', 'b', 'd'])
  })
})

describe('an override', () => {
  test('stays for later turns', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { override: { model: 'a-big' } })
    world.start('root')
    world.queue('root')
    nextTurn(world)
    expect(world.agent('root').settings.model).toBe('a-big')
  })

  test('of the persona removes exactly the tasks of the persona before and adds its own', () => {
    const world = worldIn('PHASE_PENDING', {
      tasks: [taskOf('mine', { blockedBy: [] })],
      personaTasks: [taskOf('old', { persona: 'default' })],
    })
    world.start('root')
    world.createTasks('root', [taskOf('made', { blockedBy: ['old'] })])
    world.updateTasks('root', [{ id: 'mine', blocks: ['old'] }])
    world.queue('root', {
      tasks: [taskOf('sent')],
      override: { persona: 'reviewer', personaGeneration: '4' },
      personaTasks: [taskOf('new', { persona: 'reviewer' })],
    })
    nextTurn(world)
    expect(taskIds(world)).toEqual(['mine', 'made', 'new', 'sent'])
    expect(world.agent('root').tasks.slice(0, 2)).toEqual([taskOf('mine'), taskOf('made')])
    expect(world.agent('root').settings).toMatchObject({ persona: 'reviewer', personaGeneration: '4' })
    world.queue('root', { override: { persona: 'default' } })
    nextTurn(world)
    expect(taskIds(world)).toEqual(['mine', 'made', 'sent'])
  })
})

describe('an accepted message is delivered even if in the meantime', () => {
  test('its task’s id was taken', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { tasks: [taskOf('a', { subject: 'Late' }), taskOf('b', { blockedBy: ['a'] })] })
    world.createTasks('root', [taskOf('a')])
    nextTurn(world)
    expect(world.agent('root').tasks).toEqual([
      taskOf('a', { blocks: ['b'] }),
      taskOf('b', { blockedBy: ['a'] }),
    ])
  })

  test('a task that it links with is gone', () => {
    const world = worldIn('PHASE_PENDING', { personaTasks: [taskOf('old', { persona: 'default' })] })
    world.start('root')
    world.queue('root', { override: { persona: 'other' } })
    world.queue('root', { tasks: [taskOf('a', { blockedBy: ['old'] })] })
    nextTurn(world)
    expect(world.agent('root').tasks).toEqual([taskOf('a')])
  })

  test('its links would close a circle: it comes without them', () => {
    const world = worldIn('PHASE_PENDING', { tasks: [taskOf('a'), taskOf('b')] })
    world.start('root')
    world.queue('root', { tasks: [taskOf('t', { blockedBy: ['a'], blocks: ['b'] })] })
    world.updateTasks('root', [{ id: 'a', blockedBy: ['b'] }])
    nextTurn(world)
    expect(world.agent('root').tasks.at(-1)).toEqual(taskOf('t'))
  })

  test('a blocker was reopened: its task waits again', () => {
    const world = worldIn('PHASE_PENDING', { tasks: [taskOf('a', { status: 'TASK_STATUS_COMPLETED' })] })
    world.start('root')
    world.queue('root', { tasks: [taskOf('t', { status: 'TASK_STATUS_IN_PROGRESS', blockedBy: ['a'] })] })
    world.updateTasks('root', [{ id: 'a', status: 'TASK_STATUS_IN_PROGRESS' }])
    nextTurn(world)
    expect(world.agent('root').tasks.at(-1)).toEqual(taskOf('t', { blockedBy: ['a'] }))
  })
})
