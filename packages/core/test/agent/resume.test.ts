import { describe, expect, test } from 'vitest'
import { NO_USAGE } from '../../src/index.ts'
import { outcomeOf, refusalOf, SETTINGS, taskOf } from './builders.ts'
import { LIVE, TERMINAL, worldIn } from './phases.ts'
import { RETENTION_MS, World } from './world.ts'

/** A world whose agent `root` has said something and then ended. */
function ended(outcome = outcomeOf('failed', { session: 'saved' })): World {
  const world = worldIn('PHASE_RUNNING', {
    expectedOutput: 'A commit',
    settings: { ...SETTINGS, model: 'a-large', chosen: ['model'] },
    maxCostMicros: 10n,
    labels: { team: 'web' },
    autoComplete: true,
    tasks: [
      taskOf('done', { status: 'TASK_STATUS_COMPLETED' }),
      taskOf('next', { blockedBy: ['done'] }),
      taskOf('last', { blockedBy: ['next'] }),
    ],
    personaTasks: [taskOf('standing', { persona: 'default' })],
  })
  world.end('root', outcome)
  return world
}

describe('an agent that has ended is continued', () => {
  test.each(TERMINAL)('after %s, with a new message in a new incarnation', (phase) => {
    const world = worldIn(phase)
    const before = world.agent('root')
    const { id, followUpId } = world.resume('root', { message: 'Also this' })
    expect(id).toBe(before.id)
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_PENDING',
      incarnation: 2,
      resumed: true,
      runsBefore: before.runCount,
      runCount: before.runCount + 1n,
      description: before.description,
    })
    expect(world.rows.followUps('root').get(followUpId)?.body.description).toBe('Also this')
  })

  test('with its conversation, settings, labels and what it was to deliver', () => {
    const world = ended()
    const before = world.agent('root')
    world.resume('root')
    const { session, settings, labels, expectedOutput, autoComplete } = before
    expect(session).toBe('saved')
    expect(world.agent('root')).toMatchObject({ session, settings, labels, expectedOutput, autoComplete })
    expect(world.agent('root').error).toBeUndefined()
  })

  test('with its open tasks, which no longer wait for what was done', () => {
    const world = ended()
    world.resume('root', { tasks: [taskOf('new', { blockedBy: ['last'] })] })
    const tasks = world.agent('root').tasks.map(({ id, blockedBy }) => [id, blockedBy])
    expect(tasks).toEqual([
      ['next', []],
      ['last', ['next']],
      ['standing', []],
      ['new', ['last']],
    ])
  })

  test('with what is left of its budget', () => {
    const world = ended(outcomeOf('failed', { usage: { ...NO_USAGE, costMicros: 7n } }))
    world.resume('root')
    expect(world.agent('root')).toMatchObject({ maxCostMicros: 10n, costBeforeMicros: 0n })
  })

  test('with other settings, tasks and limits if the caller gives them', () => {
    const world = ended()
    const { followUpId } = world.resume('root', {
      expectedOutput: 'A test',
      override: { persona: 'reviewer', model: 'a-small', chosen: ['model'] },
      personaTasks: [taskOf('review', { persona: 'reviewer' })],
      autoComplete: false,
      maxCostMicros: 0n,
      labels: {},
    })
    const agent = world.agent('root')
    expect(agent).toMatchObject({
      expectedOutput: 'A test',
      autoComplete: false,
      maxCostMicros: 0n,
      labels: {},
    })
    expect(agent.settings).toMatchObject({ persona: 'reviewer', model: 'a-small', backend: 'a' })
    expect(agent.tasks.map(({ id }) => id)).toEqual(['next', 'last', 'review'])
    expect(world.rows.followUps('root').get(followUpId)?.body.description).toContain('A test')
  })

  test('and again, after its second incarnation', () => {
    const world = ended()
    world.resume('root')
    world.kill('root')
    world.resume('root')
    expect(world.agent('root')).toMatchObject({ incarnation: 3, session: 'saved' })
  })
})

describe('a child that is continued', () => {
  test('needs a parent that is alive', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    world.kill('root')
    expect(refusalOf(() => world.resume('root/kid'))).toBe('PARENT_NOT_LIVE')
  })

  test('keeps its budget where the budgets above leave enough, and else gets what is left', () => {
    const world = worldIn('PHASE_RUNNING')
    const spent = outcomeOf('failed', { usage: { ...NO_USAGE, costMicros: 6n } })
    for (const [kid, left] of [
      ['rich', 4n],
      ['poor', 1n],
    ] as const) {
      world.spawn(`root/${kid}`, { maxCostMicros: 10n })
      world.start(`root/${kid}`)
      world.end(`root/${kid}`, spent)
      world.resume(`root/${kid}`, {}, left)
    }
    expect(world.agent('root/rich').maxCostMicros).toBe(10n)
    expect(world.agent('root/poor').maxCostMicros).toBe(7n)
  })
})

describe('an agent is not continued', () => {
  test('that never existed', () => {
    expect(refusalOf(() => new World().resume('root'))).toBe('AGENT_NOT_FOUND')
  })

  test.each(LIVE)('that is alive in %s', (phase) => {
    expect(refusalOf(() => worldIn(phase).resume('root'))).toBe('AGENT_ALREADY_EXISTS')
  })

  test('whose conversation is no longer kept', () => {
    const world = ended()
    world.now += RETENTION_MS - 1
    world.resume('root')
    world.kill('root')
    world.now += RETENTION_MS
    expect(refusalOf(() => world.resume('root'))).toBe('SESSION_EXPIRED')
    world.spawn('root')
    expect(world.agent('root')).toMatchObject({ session: '', incarnation: 3 })
  })
})

test('a new incarnation that is not a continuation knows nothing about the previous one', () => {
  const world = ended()
  world.spawn('root')
  expect(world.agent('root')).toMatchObject({ session: '', tasks: [], runsBefore: 1n })
  expect(world.agent('root').resumed).toBeUndefined()
})
