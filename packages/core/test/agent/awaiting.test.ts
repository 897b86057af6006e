import { expect, test } from 'vitest'
import { outcomeOf, retryableFailure } from './builders.ts'
import { checkInvariants } from './invariants.ts'
import { World } from './world.ts'

/** A parent in its first run with two children, of which `x` is in its first run too. */
function family(): World {
  const world = new World(checkInvariants)
  world.spawn('a')
  world.start('a')
  world.spawn('a/x')
  world.spawn('a/y')
  world.start('a/x')
  return world
}

function messagesTo(world: World, path: string): string[] {
  return world
    .events(path)
    .flatMap((event) => (event.type === 'follow-up.queued' ? [event.followUp.description] : []))
}

test('an agent that awaits its children is pending without a run, and nobody who waits for it is disturbed', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['x', 'y'] }))
  expect(world.agent('a')).toMatchObject({
    phase: 'PHASE_PENDING',
    awaits: ['x', 'y'],
    run: { state: 'ended' },
  })
})

test('it continues with all results once the last child has finished', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['x', 'y'] }))
  world.end('a/x', outcomeOf('finished', { message: 'X is done', output: '{"n":1}' }))
  expect(world.agent('a').run?.state).toBe('ended')
  world.start('a/y')
  world.end('a/y', outcomeOf('finished', { message: 'Y is done' }))
  expect(world.agent('a').run).toMatchObject({ state: 'queued', runId: 2n })
  expect(messagesTo(world, 'a').slice(1)).toEqual([
    'Your child x has finished.\n\nX is done\n\nOutput: {"n":1}',
    'Your child y has finished.\n\nY is done',
  ])
})

test('the timeline says who each message is from, even if a caller chooses an id like the service’s', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['x'] }))
  world.end('a/x', outcomeOf('finished'))
  world.queue('a', { followUpId: 'child:x:1' })
  world.queue('a', { followUpId: 'budget:1' })
  world.start('a')
  world.end('a', outcomeOf('limit', { limit: 'budget', needsInput: 'The budget is used up.' }))
  world.setBudget('a', 0n)
  const origins = world
    .events('a')
    .flatMap((event) => (event.type === 'follow-up.queued' ? [[event.origin, event.child]] : []))
  expect(origins).toEqual([
    ['CALLER', ''],
    ['CHILD', 'x'],
    ['CALLER', ''],
    ['CALLER', ''],
    ['PLATFORM', ''],
  ])
})

test('a child that asks a question wakes its parent immediately', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['x', 'y'] }))
  world.end('a/x', outcomeOf('asked', { needsInput: 'Which colour?' }))
  expect(world.agent('a').run?.state).toBe('queued')
  expect(messagesTo(world, 'a').at(-1)).toContain('asks: Which colour?')
})

test('children that had already ended report immediately', () => {
  const world = family()
  world.end('a/x', outcomeOf('finished'))
  world.end('a', outcomeOf('rested', { awaits: ['x'] }))
  expect(world.agent('a').run).toMatchObject({ state: 'queued', runId: 2n })
})

test('the same result can be asked for twice', () => {
  const world = family()
  world.end('a/x', outcomeOf('finished'))
  world.end('a', outcomeOf('rested', { awaits: ['x'] }))
  world.start('a')
  world.end('a', outcomeOf('rested', { awaits: ['x'] }))
  expect(messagesTo(world, 'a')).toHaveLength(3)
})

test('a message of a person wakes an agent that awaits its children', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['x'] }))
  world.queue('a')
  expect(world.agent('a')).toMatchObject({ awaits: [], run: { state: 'queued' } })
})

test('a killed child wakes its parent; a killed parent is woken by nobody', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['x', 'y'] }))
  world.kill('a/x')
  world.kill('a/y')
  expect(world.agent('a').run?.state).toBe('queued')

  const other = family()
  other.end('a', outcomeOf('rested', { awaits: ['x', 'y'] }))
  other.kill('a')
  expect(other.agent('a').runCount).toBe(1n)
})

test('a child that nobody knows is not waited for', () => {
  const world = family()
  world.end('a', outcomeOf('rested', { awaits: ['nobody'] }))
  expect(world.phase('a')).toBe('PHASE_WAITING')
})

test('a pause is not a failure: a run that was paused often still has all its attempts', () => {
  const world = new World(checkInvariants)
  world.spawn('a')
  for (let pause = 0; pause < 5; pause++) {
    world.start('a')
    world.end('a', outcomeOf('paused', { message: 'The provider’s limit resets soon', session: `s${pause}` }))
  }
  expect(world.agent('a')).toMatchObject({
    phase: 'PHASE_PENDING',
    session: 's4',
    run: { attempt: 6, failures: 0 },
  })
  world.start('a')
  world.end('a', retryableFailure())
  world.start('a')
  world.lose('a')
  expect(world.phase('a')).toBe('PHASE_PENDING')
  world.start('a')
  world.end('a', retryableFailure())
  expect(world.phase('a')).toBe('PHASE_FAILED')
})

test('a paused run never continues before its time', () => {
  const world = new World(checkInvariants)
  world.spawn('a')
  world.start('a')
  const retryAt = world.now + 60_000
  world.end('a', outcomeOf('paused', { retryAt }))
  expect(world.events('a').at(-2)).toMatchObject({ type: 'run.queued', attempt: 2, availableAt: retryAt })
})

test('a run that is to stop does not pause', () => {
  const world = new World(checkInvariants)
  world.spawn('a')
  world.start('a')
  world.stop('a', 1n)
  world.end('a', outcomeOf('paused'))
  expect(world.agent('a')).toMatchObject({ phase: 'PHASE_WAITING', run: { endReason: 'interrupted' } })
})

test('more budget wakes exactly those who rest because it was used up', () => {
  const world = family()
  world.end('a', outcomeOf('limit', { limit: 'budget', needsInput: 'The budget is used up.' }))
  world.end('a/x', outcomeOf('limit', { limit: 'time', needsInput: 'It took too long.' }))
  world.start('a/y')
  world.end('a/y', outcomeOf('limit', { limit: 'budget' }))
  expect(world.setBudget('a', 2n, 2n)).toEqual({ resumed: 0 })
  expect(world.setBudget('a', 3n, 2n)).toEqual({ resumed: 2 })
  expect(world.phase('a')).toBe('PHASE_PENDING')
  expect(world.phase('a/x')).toBe('PHASE_WAITING')
  expect(world.phase('a/y')).toBe('PHASE_PENDING')
  expect(world.setBudget('a', 3n, 2n)).toEqual({ resumed: 0 })
})
