import { expect, test } from 'vitest'
import { describePending } from '../../src/agent/pending-reason.ts'
import { outcomeOf, retryableFailure } from './builders.ts'
import { checkInvariants } from './invariants.ts'
import { World } from './world.ts'

const NOBODY: ReadonlySet<string> = new Set()
const DEFAULT_POOL: ReadonlySet<string> = new Set(['default'])

function spawned(): World {
  const world = new World(checkInvariants)
  world.spawn('a')
  return world
}

function reasonOf(world: World, onlinePools = DEFAULT_POOL, now = world.now): string {
  return describePending(world.agent('a'), onlinePools, now).pendingReason
}

test('only a pending agent has a reason to be pending', () => {
  const world = spawned()
  world.start('a')
  expect(describePending(world.agent('a'), NOBODY, world.now)).toEqual({
    pendingReason: '',
    pendingUntil: undefined,
  })
})

test('a run that no runner can take names its pool', () => {
  expect(reasonOf(spawned(), NOBODY)).toBe('no runner in pool default')
})

test('a run that waits for its turn waits for a slot', () => {
  expect(reasonOf(spawned())).toBe('waiting for a slot in pool default')
})

test('a parent says for how many children it waits', () => {
  const world = spawned()
  world.start('a')
  world.spawn('a/x')
  world.spawn('a/y')
  world.end('a', outcomeOf('rested', { awaits: ['x', 'y'] }))
  expect(reasonOf(world, NOBODY)).toBe('waiting for 2 children')
  world.start('a/x')
  world.end('a/x', outcomeOf('finished'))
  expect(reasonOf(world, NOBODY)).toBe('waiting for 1 child')
})

test('a failed attempt says when it is retried, and then waits like any other run', () => {
  const world = spawned()
  world.start('a')
  world.end('a', retryableFailure())
  const { pendingReason, pendingUntil } = describePending(world.agent('a'), NOBODY, world.now)
  expect(pendingReason).toBe('retrying')
  expect(pendingUntil).toBe(world.now + 1000)
  expect(reasonOf(world, NOBODY, world.now + 1000)).toBe('no runner in pool default')
})

test('a run that a rate limit holds up says until when', () => {
  const world = spawned()
  world.start('a')
  const until = world.now + 60_000
  world.end('a', outcomeOf('paused', { retryAt: until }))
  expect(describePending(world.agent('a'), DEFAULT_POOL, world.now)).toEqual({
    pendingReason: 'paused, continues',
    pendingUntil: until,
  })
})
