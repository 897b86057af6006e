import { describe, expect, test } from 'vitest'
import { MAX_DEFER_MS } from '../../src/index.ts'
import { outcomeOf, QUOTA, refusalOf, taskOf } from './builders.ts'
import { TERMINAL, worldIn } from './phases.ts'
import { World } from './world.ts'

const stateOf = (world: World, id: string) => world.rows.followUps('root').get(id)?.state
const queued = (world: World) => world.agent('root').queue.map(({ followUpId }) => followUpId)

describe('queueing a message', () => {
  test('to a running agent leaves it queued until the turn ends', () => {
    const world = worldIn('PHASE_RUNNING')
    expect(world.queue('root', { followUpId: 'm' })).toEqual({ followUpId: 'm' })
    expect(stateOf(world, 'm')).toBe('QUEUED')
    expect(world.phase('root')).toBe('PHASE_RUNNING')
    expect(world.agent('root').run?.runId).toBe(1n)
  })

  test('wakes a resting agent with a new run', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root')
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_PENDING', needsInput: '', runCount: 2n })
    expect(world.agent('root').run).toMatchObject({ runId: 2n, attempt: 1, state: 'queued' })
  })

  test('to a pending agent joins the run that is queued already', () => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { followUpId: 'm' })
    expect(world.agent('root').runCount).toBe(1n)
    world.start('root')
    expect(stateOf(world, 'm')).toBe('DELIVERED')
  })

  test('to an agent that never existed is not found', () => {
    expect(refusalOf(() => new World().queue('root'))).toBe('AGENT_NOT_FOUND')
  })

  test.each(TERMINAL)('to an agent that is %s is not found', (phase) => {
    expect(refusalOf(() => worldIn(phase).queue('root'))).toBe('AGENT_NOT_RUNNING')
  })

  test('over the limit is refused, deferred messages counted', () => {
    const world = worldIn('PHASE_RUNNING')
    world.quota = { ...QUOTA, queuedFollowUpsPerAgent: 2 }
    world.queue('root')
    world.queue('root', { deliverAt: world.now + 1 })
    expect(refusalOf(() => world.queue('root'))).toBe('QUOTA_EXCEEDED')
  })

  test.each([
    ['queued', () => {}],
    ['delivered', (world: World) => world.start('root')],
    ['cleared', (world: World) => world.clear('root')],
    ['dropped', (world: World) => world.kill('root')],
  ])('a second time under the same id, once it is %s, changes nothing', (_state, act) => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { followUpId: 'm' })
    act(world)
    const before = world.agent('root')
    expect(world.queue('root', { followUpId: 'm', preempt: true })).toEqual({ followUpId: 'm' })
    expect(world.agent('root')).toBe(before)
  })

  test.each([
    ['removed', (world: World) => world.remove('root', 'm')],
    [
      'of an earlier life',
      (world: World) => {
        world.kill('root')
        world.spawn('root')
      },
    ],
  ])('again under the same id, once that is %s, is a new message', (_state, act) => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { followUpId: 'm', deliverAt: world.now + 1 })
    act(world)
    world.queue('root', { followUpId: 'm', description: 'Again.' })
    expect(world.agent('root').queue.map(({ followUpId }) => followUpId)).toContain('m')
    expect(world.rows.followUps('root').get('m')).toMatchObject({
      state: 'QUEUED',
      body: { description: 'Again.' },
    })
    expect(world.agent('root').deferred).toEqual([])
  })
})

describe('the tasks of a message', () => {
  test('join the checklist when it is delivered', () => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { tasks: [taskOf('t')] })
    expect(world.agent('root').tasks).toEqual([])
    world.start('root')
    expect(world.agent('root').tasks).toEqual([taskOf('t')])
  })

  test.each([
    ['twice the same id', [taskOf('t'), taskOf('t')]],
    ['an id that is taken', [taskOf('old')]],
    ['a circle', [taskOf('t', { blockedBy: ['u'] }), taskOf('u', { blockedBy: ['t'] })]],
    ['a link to itself', [taskOf('t', { blocks: ['t'] })]],
    ['an unknown link', [taskOf('t', { blockedBy: ['nobody'] })]],
    ['a deleted one', [taskOf('t', { status: 'TASK_STATUS_DELETED' })]],
  ])('are rejected immediately if they have %s', (_what, tasks) => {
    const world = new World()
    world.spawn('root', { tasks: [taskOf('old')] })
    expect(refusalOf(() => world.queue('root', { tasks }))).toBe('REQUEST_INVALID')
  })

  test('are rejected immediately if one is started that still has an open blocker', () => {
    const world = worldIn('PHASE_PENDING')
    const tasks = [taskOf('t', { status: 'TASK_STATUS_IN_PROGRESS', blockedBy: ['u'] }), taskOf('u')]
    expect(refusalOf(() => world.queue('root', { tasks }))).toBe('TASK_BLOCKED')
  })

  test('count against the limit while they wait, whichever way more come', () => {
    const world = worldIn('PHASE_RUNNING')
    world.quota = { ...QUOTA, tasksPerAgent: 3 }
    world.queue('root', { tasks: [taskOf('a')] })
    world.queue('root', {
      override: { persona: 'p' },
      personaTasks: [taskOf('b', { persona: 'p' })],
      deliverAt: world.now + 1000,
    })
    expect(refusalOf(() => world.queue('root', { tasks: [taskOf('c'), taskOf('d')] }))).toBe('QUOTA_EXCEEDED')
    expect(refusalOf(() => world.createTasks('root', [taskOf('c'), taskOf('d')]))).toBe('QUOTA_EXCEEDED')
    world.kill('root')
    const tasks = ['c', 'd', 'e', 'f'].map((id) => taskOf(id))
    expect(refusalOf(() => world.spawn('root', { tasks }))).toBe('QUOTA_EXCEEDED')
    expect(refusalOf(() => world.spawn('root', { tasks: tasks.slice(0, 3) }))).toBeUndefined()
  })
})

describe('preempting', () => {
  test('discards what is queued, interrupts the turn, and runs next', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'old' })
    world.queue('root', { followUpId: 'new', preempt: true })
    expect(stateOf(world, 'old')).toBe('CLEARED')
    expect(world.agent('root').run).toMatchObject({ state: 'running', stopMode: 'STOP_TURN_MODE_INTERRUPT' })
    world.end('root', outcomeOf('interrupted'))
    world.start('root')
    expect(stateOf(world, 'new')).toBe('DELIVERED')
    expect(world.agent('root').run?.runId).toBe(2n)
  })

  test('does not cut short a turn that is still starting', () => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { followUpId: 'new', preempt: true })
    expect(queued(world)).toEqual(['new'])
    expect(world.agent('root').run).toMatchObject({
      runId: 1n,
      state: 'queued',
      stopMode: 'STOP_TURN_MODE_UNSPECIFIED',
    })
  })

  test('an idle agent wakes it', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { preempt: true })
    expect(world.phase('root')).toBe('PHASE_PENDING')
  })

  test('leaves deferred messages to their time', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'later', deliverAt: world.now + 1000 })
    world.queue('root', { preempt: true })
    expect(stateOf(world, 'later')).toBe('DEFERRED')
  })

  test('never softens a stop that kills', () => {
    const world = worldIn('PHASE_RUNNING')
    world.stop('root', 1n, 'STOP_TURN_MODE_KILL')
    world.queue('root', { preempt: true })
    expect(world.agent('root').run?.stopMode).toBe('STOP_TURN_MODE_KILL')
  })

  test('makes room within the limit', () => {
    const world = worldIn('PHASE_RUNNING')
    world.quota = { ...QUOTA, queuedFollowUpsPerAgent: 1 }
    world.queue('root')
    expect(refusalOf(() => world.queue('root', { preempt: true }))).toBeUndefined()
  })
})

describe('a deferred message', () => {
  test('waits, and does not wake the agent before its time', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { followUpId: 'm', deliverAt: world.now + 1000 })
    world.now += 999
    world.due('root', 'm')
    expect(stateOf(world, 'm')).toBe('DEFERRED')
    expect(world.phase('root')).toBe('PHASE_WAITING')
  })

  test('joins the queue at its time and wakes a resting agent', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { followUpId: 'm', deliverAt: world.now + 1000 })
    world.now += 1000
    world.due('root', 'm')
    expect(stateOf(world, 'm')).toBe('QUEUED')
    expect(world.agent('root')).toMatchObject({ phase: 'PHASE_PENDING', runCount: 2n, deferred: [] })
  })

  test('joins the queue behind what came before its time', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'early', deliverAt: world.now + 1000 })
    world.queue('root', { followUpId: 'fresh' })
    world.now += 1000
    world.due('root', 'early')
    expect(queued(world)).toEqual(['fresh', 'early'])
  })

  test('comes due once, however often its timer goes off', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'm', deliverAt: world.now + 1 })
    world.now += 1
    world.due('root', 'm')
    const before = world.agent('root')
    world.due('root', 'm')
    world.due('root', 'nobody')
    expect(world.agent('root')).toBe(before)
  })

  test.each(TERMINAL)(
    'is dropped when the agent is %s: it would reach nobody, and no later incarnation',
    (phase) => {
      const world = worldIn('PHASE_RUNNING')
      world.queue('root', { followUpId: 'm', deliverAt: world.now + 1000 })
      if (phase === 'PHASE_CANCELED') world.kill('root')
      else world.end('root', outcomeOf(phase === 'PHASE_FAILED' ? 'failed' : 'finished'))
      expect(stateOf(world, 'm')).toBe('DROPPED')
      world.spawn('root')
      expect(world.agent('root').deferred).toEqual([])
      const before = world.agent('root')
      world.now += 1000
      world.due('root', 'm')
      expect(world.agent('root')).toBe(before)
    },
  )

  test.each([
    ['now', 0, false, 'REQUEST_INVALID'],
    ['in the past', -1, false, 'REQUEST_INVALID'],
    ['exactly 30 days ahead', MAX_DEFER_MS, false, undefined],
    ['more than 30 days ahead', MAX_DEFER_MS + 1, false, 'REQUEST_INVALID'],
    ['tomorrow but preempting', 86_400_000, true, 'REQUEST_INVALID'],
  ] as const)('for %s is judged by the clock at receipt', (_when, delay, preempt, refusal) => {
    const world = worldIn('PHASE_RUNNING')
    expect(refusalOf(() => world.queue('root', { deliverAt: world.now + delay, preempt }))).toBe(refusal)
  })

  test('is refused when the agent’s build cannot defer', () => {
    const world = worldIn('PHASE_RUNNING')
    world.canDefer = false
    expect(refusalOf(() => world.queue('root', { deliverAt: world.now + 1 }))).toBe('BUILD_LACKS_DEFERRAL')
    expect(refusalOf(() => world.queue('root'))).toBeUndefined()
  })
})

describe('removing a message', () => {
  test('takes a queued one out, and says so once', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'm' })
    expect(world.remove('root', 'm')).toEqual({ removed: true })
    expect(stateOf(world, 'm')).toBe('REMOVED')
    expect(world.remove('root', 'm')).toEqual({ removed: false })
  })

  test('takes a deferred one out before its time', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { followUpId: 'm', deliverAt: world.now + 1 })
    expect(world.remove('root', 'm')).toEqual({ removed: true })
    expect(world.phase('root')).toBe('PHASE_WAITING')
  })

  test('removes nothing from an agent that has ended: its end dropped everything', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'm', deliverAt: world.now + 1 })
    world.kill('root')
    expect(world.remove('root', 'm')).toEqual({ removed: false })
    expect(world.phase('root')).toBe('PHASE_CANCELED')
  })

  test('that was delivered or never queued removes nothing', () => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { followUpId: 'm' })
    world.start('root')
    const before = world.agent('root')
    expect(world.remove('root', 'm')).toEqual({ removed: false })
    expect(world.remove('root', 'nobody')).toEqual({ removed: false })
    expect(world.agent('root')).toBe(before)
  })

  test('of an agent that never existed is not found', () => {
    expect(refusalOf(() => new World().remove('root', 'm'))).toBe('AGENT_NOT_FOUND')
  })
})

describe('clearing', () => {
  test('discards every queued message and says how many, but no deferred one', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root', { followUpId: 'a' })
    world.queue('root', { followUpId: 'b' })
    world.queue('root', { followUpId: 'c', deliverAt: world.now + 1 })
    expect(world.clear('root')).toEqual({ cleared: 2 })
    expect(['a', 'b', 'c'].map((id) => stateOf(world, id))).toEqual(['CLEARED', 'CLEARED', 'DEFERRED'])
    expect(world.clear('root')).toEqual({ cleared: 0 })
  })

  test('of an agent that never existed is not found', () => {
    expect(refusalOf(() => new World().clear('root'))).toBe('AGENT_NOT_FOUND')
  })
})

describe('a run that is left with nothing to do', () => {
  test.each([
    ['clearing', (world: World) => world.clear('root/kid')],
    ['removing', (world: World) => world.remove('root/kid', 'only')],
  ])('is withdrawn by %s, and the agent goes idle', (_how, act) => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid', { followUpId: 'only' })
    act(world)
    expect(world.agent('root/kid')).toMatchObject({ phase: 'PHASE_WAITING', queue: [], runCount: 1n })
    expect(world.agent('root/kid').run).toMatchObject({ state: 'ended', endReason: 'interrupted' })
    expect(world.start('root/kid', { runId: 1n, attempt: 1 })).toBe(false)
    expect(world.events('root').at(-1)).toMatchObject({ type: 'child.phase-changed', phase: 'PHASE_WAITING' })
    world.queue('root/kid')
    expect(world.agent('root/kid').run).toMatchObject({ runId: 2n, state: 'queued' })
  })

  test('stays while another message waits', () => {
    const world = worldIn('PHASE_PENDING')
    world.queue('root', { followUpId: 'm' })
    world.remove('root', 'm')
    expect(world.phase('root')).toBe('PHASE_PENDING')
  })

  test('is not a retry, whose messages are out of the queue already', () => {
    const world = worldIn('PHASE_RUNNING')
    world.queue('root')
    world.lose('root')
    world.clear('root')
    expect(world.agent('root')).toMatchObject({
      phase: 'PHASE_PENDING',
      run: { attempt: 2, state: 'queued' },
    })
  })
})
