import { describe, expect, test } from 'vitest'
import { outcomeOf, refusalOf, taskOf } from './builders.ts'
import { LIVE, TERMINAL, worldIn } from './phases.ts'
import { World } from './world.ts'

describe('killing an agent', () => {
  test.each(LIVE)('cancels it in %s, ends its run and drops what is queued', (phase) => {
    const world = worldIn(phase)
    if (phase === 'PHASE_RUNNING') world.queue('root', { followUpId: 'm' })
    world.kill('root')
    const agent = world.agent('root')
    expect(agent).toMatchObject({ phase: 'PHASE_CANCELED', queue: [], endedAt: world.now })
    expect(agent.run).toMatchObject({
      state: 'ended',
      endReason: phase === 'PHASE_WAITING' ? 'rested' : 'killed',
    })
    const states = [...world.rows.followUps('root').values()].map(({ state }) => state)
    expect(states).not.toContain('QUEUED')
  })

  test('tells the runner to stop immediately', () => {
    const world = worldIn('PHASE_RUNNING')
    world.kill('root')
    expect(world.events('root')).toContainEqual({
      type: 'run.stop-requested',
      runId: 1n,
      mode: 'STOP_TURN_MODE_KILL',
    })
  })

  test('cancels every descendant, even below one that has completed', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    world.start('root/kid')
    world.spawn('root/kid/grandkid')
    world.end('root/kid', outcomeOf('finished'))
    world.spawn('root/other')
    world.kill('root')
    expect(['root', 'root/kid', 'root/kid/grandkid', 'root/other'].map((path) => world.phase(path))).toEqual([
      'PHASE_CANCELED',
      'PHASE_COMPLETED',
      'PHASE_CANCELED',
      'PHASE_CANCELED',
    ])
  })

  test('spares its parent, its siblings and agents whose names begin alike', () => {
    const world = worldIn('PHASE_RUNNING')
    for (const path of ['root/kid', 'root/kid-2', 'root-2']) world.spawn(path)
    world.kill('root/kid')
    expect(['root', 'root/kid-2', 'root-2'].map((path) => world.phase(path))).toEqual([
      'PHASE_RUNNING',
      'PHASE_PENDING',
      'PHASE_PENDING',
    ])
    expect(world.events('root').at(-1)).toMatchObject({
      type: 'child.phase-changed',
      phase: 'PHASE_CANCELED',
    })
  })

  test('tells each parent of its children before it ends itself', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    world.spawn('root/kid/grandkid')
    world.kill('root')
    for (const path of ['root', 'root/kid']) {
      expect(world.events(path).at(-1)).toMatchObject({ type: 'agent.phase-changed', to: 'PHASE_CANCELED' })
    }
  })

  test.each(TERMINAL)('that is %s leaves it as it is', (phase) => {
    const world = worldIn(phase)
    const before = world.agent('root')
    world.kill('root')
    expect(world.agent('root')).toBe(before)
  })

  test('that has completed still ends its live children', () => {
    const world = worldIn('PHASE_RUNNING')
    world.spawn('root/kid')
    world.end('root', outcomeOf('finished'))
    world.kill('root')
    expect(world.phase('root')).toBe('PHASE_COMPLETED')
    expect(world.phase('root/kid')).toBe('PHASE_CANCELED')
  })

  test('lets nothing run afterwards', () => {
    const world = worldIn('PHASE_PENDING')
    world.kill('root')
    expect(world.start('root', { runId: 1n, attempt: 1 })).toBe(false)
    expect(refusalOf(() => world.spawn('root/kid'))).toBe('PARENT_NOT_LIVE')
  })

  test('removes the tasks that lived only for the run', () => {
    const world = worldIn('PHASE_WAITING')
    world.queue('root', { tasks: [taskOf('thread', { ephemeral: true }), taskOf('kept')] })
    world.start('root')
    world.kill('root')
    expect(world.agent('root').tasks.map(({ id }) => id)).toEqual(['kept'])
  })

  test('of an agent that never existed is not found', () => {
    expect(refusalOf(() => new World().kill('root'))).toBe('AGENT_NOT_FOUND')
  })
})
