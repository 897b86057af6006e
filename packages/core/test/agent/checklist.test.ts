import type { SkeinError, Task, TaskStatus } from '@skein/contract'
import { describe, expect, test } from 'vitest'
import { newTask, openTasks } from '../../src/index.ts'
import { QUOTA, refusalOf, taskOf } from './builders.ts'
import { TERMINAL, worldIn } from './phases.ts'
import { World } from './world.ts'

const PENDING = 'TASK_STATUS_PENDING'
const IN_PROGRESS = 'TASK_STATUS_IN_PROGRESS'
const COMPLETED = 'TASK_STATUS_COMPLETED'
const DELETED = 'TASK_STATUS_DELETED'
const withTasks = (...tasks: Task[]) => worldIn('PHASE_RUNNING', { tasks })
const namesHundred = (error: SkeinError) => error.violations.length === 100
const linksOf = (world: World) =>
  world.agent('root').tasks.map(({ id, blocks, blockedBy }) => ({ id, blocks, blockedBy }))

describe('a task', () => {
  const allowed: readonly [TaskStatus, TaskStatus][] = [
    [PENDING, PENDING],
    [PENDING, IN_PROGRESS],
    [PENDING, COMPLETED],
    [PENDING, DELETED],
    [IN_PROGRESS, IN_PROGRESS],
    [IN_PROGRESS, PENDING],
    [IN_PROGRESS, COMPLETED],
    [IN_PROGRESS, DELETED],
    [COMPLETED, COMPLETED],
    [COMPLETED, IN_PROGRESS],
    [COMPLETED, DELETED],
  ]
  const all = [PENDING, IN_PROGRESS, COMPLETED, DELETED] as const
  const isAllowed = (from: TaskStatus, to: TaskStatus) =>
    allowed.some(([start, end]) => start === from && end === to)
  const forbidden = all.flatMap((from) =>
    all.filter((to) => !isAllowed(from, to)).map((to): [TaskStatus, TaskStatus] => [from, to]),
  )

  function taskIn(status: TaskStatus): World {
    const world = withTasks(taskOf('t', { status: status === DELETED ? PENDING : status }))
    if (status === DELETED) world.updateTasks('root', [{ id: 't', status }])
    return world
  }

  test.each(allowed)('goes from %s to %s', (from, to) => {
    const world = taskIn(from)
    world.updateTasks('root', [{ id: 't', status: to }])
    expect(world.agent('root').tasks[0]?.status).toBe(to)
  })

  test.each(forbidden)('does not go from %s to %s', (from, to) => {
    const world = taskIn(from)
    expect(refusalOf(() => world.updateTasks('root', [{ id: 't', status: to }]))).toBe(
      'TASK_TRANSITION_INVALID',
    )
  })

  test('that is deleted stays as it is', () => {
    const world = taskIn(DELETED)
    expect(refusalOf(() => world.updateTasks('root', [{ id: 't', subject: 'New' }]))).toBe(
      'TASK_TRANSITION_INVALID',
    )
  })

  test('keeps its status when the update does not specify one', () => {
    const world = taskIn(IN_PROGRESS)
    world.updateTasks('root', [{ id: 't', subject: 'New', status: 'TASK_STATUS_UNSPECIFIED' }])
    expect(world.agent('root').tasks).toEqual([taskOf('t', { subject: 'New', status: IN_PROGRESS })])
  })

  test('keeps what the service set, whatever an update says', () => {
    const world = worldIn('PHASE_RUNNING', { personaTasks: [taskOf('t', { persona: 'default' })] })
    world.updateTasks('root', [{ id: 't', persona: '', dedupKey: 'x', ephemeral: true }])
    expect(world.agent('root').tasks).toEqual([taskOf('t', { persona: 'default' })])
  })

  test.each([IN_PROGRESS, COMPLETED] as const)('with an open blocker cannot go to %s', (status) => {
    const world = withTasks(taskOf('a'), taskOf('t', { blockedBy: ['a'] }))
    expect(refusalOf(() => world.updateTasks('root', [{ id: 't', status }]))).toBe('TASK_BLOCKED')
    expect(refusalOf(() => world.updateTasks('root', [{ id: 't', status: DELETED }]))).toBeUndefined()
  })

  test.each([COMPLETED, DELETED] as const)('can begin once its blocker is %s', (status) => {
    const world = withTasks(taskOf('a'), taskOf('t', { blockedBy: ['a'] }))
    world.updateTasks('root', [
      { id: 'a', status },
      { id: 't', status: IN_PROGRESS },
    ])
    expect(world.agent('root').tasks[1]?.status).toBe(IN_PROGRESS)
  })

  test('with an open blocker cannot be reopened', () => {
    const world = withTasks(taskOf('t', { status: COMPLETED }))
    world.createTasks('root', [taskOf('a', { blocks: ['t'] })])
    expect(refusalOf(() => world.updateTasks('root', [{ id: 't', status: IN_PROGRESS }]))).toBe(
      'TASK_BLOCKED',
    )
  })

  test('that is unknown is not found', () => {
    expect(refusalOf(() => withTasks().updateTasks('root', [{ id: 't' }]))).toBe('TASK_NOT_FOUND')
  })
})

describe('links between tasks', () => {
  test('are kept at both ends when a task is created', () => {
    const world = withTasks(taskOf('a'), taskOf('b'))
    world.createTasks('root', [taskOf('t', { blocks: ['a'], blockedBy: ['b'] })])
    expect(linksOf(world)).toEqual([
      { id: 'a', blocks: [], blockedBy: ['t'] },
      { id: 'b', blocks: ['t'], blockedBy: [] },
      { id: 't', blocks: ['a'], blockedBy: ['b'] },
    ])
  })

  test('are moved at both ends when a task is updated', () => {
    const world = withTasks(taskOf('a'), taskOf('b'), taskOf('t', { blocks: ['a'] }))
    world.updateTasks('root', [{ id: 't', blocks: ['b', 'b'] }])
    expect(linksOf(world)).toEqual([
      { id: 'a', blocks: [], blockedBy: [] },
      { id: 'b', blocks: [], blockedBy: ['t'] },
      { id: 't', blocks: ['b'], blockedBy: [] },
    ])
  })

  test.each([
    ['blocks', { blocks: ['nobody'] }],
    ['blockedBy', { blockedBy: ['nobody'] }],
  ])('to tasks that do not exist are refused: %s', (_field, links) => {
    const world = withTasks(taskOf('a'))
    expect(refusalOf(() => world.createTasks('root', [taskOf('t', links)]))).toBe('REQUEST_INVALID')
    expect(refusalOf(() => world.updateTasks('root', [{ id: 'a', ...links }]))).toBe('REQUEST_INVALID')
  })

  test('the answer to very many wrong links names a hundred of them', () => {
    const links = Array.from({ length: 400 }, (_, index) => `x${index}`)
    const many = Array.from({ length: 500 }, (_, index) => taskOf(`t${index}`, { blocks: links }))
    for (const command of [
      () => new World().spawn('root', { tasks: [...many, ...many] }),
      () => withTasks().createTasks('root', many),
      () => withTasks(taskOf('t0')).updateTasks('root', [{ id: 't0', blocks: links }]),
    ])
      expect(command).toThrow(expect.toSatisfy(namesHundred))
  })

  test.each([
    ['blocks', { blocks: ['a'] }],
    ['blockedBy', { blockedBy: ['a'] }],
  ])('of a task with itself are refused: %s', (_field, links) => {
    const world = withTasks(taskOf('a'))
    expect(refusalOf(() => world.updateTasks('root', [{ id: 'a', ...links }]))).toBe('REQUEST_INVALID')
    expect(refusalOf(() => new World().spawn('root', { tasks: [taskOf('a', links)] }))).toBe(
      'REQUEST_INVALID',
    )
  })

  test('that close a circle are refused, however long the way round', () => {
    const world = withTasks(taskOf('a'), taskOf('b', { blockedBy: ['a'] }), taskOf('c', { blockedBy: ['b'] }))
    expect(refusalOf(() => world.updateTasks('root', [{ id: 'a', blockedBy: ['c'] }]))).toBe(
      'REQUEST_INVALID',
    )
    expect(refusalOf(() => world.updateTasks('root', [{ id: 'c', blocks: ['a'] }]))).toBe('REQUEST_INVALID')
    const closing = taskOf('d', { blockedBy: ['c'], blocks: ['a'] })
    expect(refusalOf(() => world.createTasks('root', [closing]))).toBe('REQUEST_INVALID')
  })

  test('may be reversed in one call, in any order of its updates', () => {
    const world = withTasks(taskOf('a', { blocks: ['b'] }), taskOf('b', { blocks: ['c'] }), taskOf('c'))
    world.updateTasks('root', [
      { id: 'c', blocks: ['a'] },
      { id: 'a', blocks: [] },
    ])
    expect(linksOf(world)).toEqual([
      { id: 'a', blocks: [], blockedBy: ['c'] },
      { id: 'b', blocks: ['c'], blockedBy: [] },
      { id: 'c', blocks: ['a'], blockedBy: ['b'] },
    ])
  })

  test('that meet again without a circle are fine', () => {
    const world = withTasks(taskOf('a'), taskOf('b', { blockedBy: ['a'] }), taskOf('c', { blockedBy: ['a'] }))
    expect(
      refusalOf(() => world.createTasks('root', [taskOf('d', { blockedBy: ['b', 'c'] })])),
    ).toBeUndefined()
  })
})

describe('creating tasks', () => {
  test('adds all of them or none', () => {
    const world = withTasks(taskOf('a'))
    const before = world.agent('root')
    expect(refusalOf(() => world.createTasks('root', [taskOf('b'), taskOf('a')]))).toBe('REQUEST_INVALID')
    expect(world.agent('root')).toBe(before)
    expect(world.createTasks('root', [taskOf('b'), taskOf('c')]).tasks.map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  test('over the limit is refused; deleted ones do not count', () => {
    const world = withTasks(taskOf('a'))
    world.quota = { ...QUOTA, tasksPerAgent: 1 }
    expect(refusalOf(() => world.createTasks('root', [taskOf('b')]))).toBe('QUOTA_EXCEEDED')
    world.updateTasks('root', [{ id: 'a', status: 'TASK_STATUS_DELETED' }])
    expect(refusalOf(() => world.createTasks('root', [taskOf('b')]))).toBeUndefined()
  })

  test.each(TERMINAL)('is refused when the agent is %s, and so is updating', (phase) => {
    const world = worldIn(phase)
    expect(refusalOf(() => world.createTasks('root', []))).toBe('AGENT_NOT_RUNNING')
    expect(refusalOf(() => world.updateTasks('root', []))).toBe('AGENT_NOT_RUNNING')
  })

  test('of an agent that never existed is not found, and so is updating', () => {
    expect(refusalOf(() => new World().createTasks('root', []))).toBe('AGENT_NOT_FOUND')
    expect(refusalOf(() => new World().updateTasks('root', []))).toBe('AGENT_NOT_FOUND')
  })

  test('fills in what a caller leaves out and ignores what only the service sets', () => {
    expect(newTask({ subject: 'Do t', persona: 'x', dedupKey: 'y', ephemeral: true }, 't')).toEqual(
      taskOf('t'),
    )
    expect(newTask({ id: 'mine', subject: 'Do mine', blocks: ['a', 'a'] }, 't')).toEqual(
      taskOf('mine', { blocks: ['a'] }),
    )
  })
})

describe('an open task', () => {
  const watched = taskOf('watched', { activation: { filesModified: {} } })

  test('is one that is pending or in progress, and active', () => {
    const open = [taskOf('a'), taskOf('b', { status: 'TASK_STATUS_IN_PROGRESS' })]
    const closed = [
      taskOf('c', { status: 'TASK_STATUS_COMPLETED' }),
      taskOf('d', { status: 'TASK_STATUS_DELETED' }),
      watched,
    ]
    expect(openTasks([...open, ...closed], [])).toEqual(open)
    expect(openTasks([watched], ['watched'])).toEqual([watched])
  })
})
