import { expect, test } from 'vitest'
import { outcomeOf, refusalOf, taskOf } from './builders.ts'
import { World } from './world.ts'

function running(): World {
  const world = new World()
  world.spawn('a')
  world.start('a')
  return world
}

test('a steering message waits in the queue until the runner says that the agent has it', () => {
  const world = running()
  world.queue('a', { followUpId: 'left', steers: true })
  expect(world.agent('a').queue).toMatchObject([{ followUpId: 'left', steers: true }])
  world.progress('a', [{ type: 'run.steered', followUpId: 'left' }])
  expect(world.agent('a').queue).toEqual([])
  expect(world.rows.followUps('a').get('left')?.state).toBe('DELIVERED')
  expect(world.events('a').at(-1)).toEqual({
    type: 'follow-up.delivered',
    followUpId: 'left',
    runId: 1n,
    steered: true,
  })
})

test('a steering message that came too late begins the next run', () => {
  const world = running()
  world.queue('a', { followUpId: 'late', steers: true })
  world.end('a', outcomeOf('rested'))
  world.start('a')
  expect(world.rows.followUps('a').get('late')?.state).toBe('DELIVERED')
  const late = { type: 'follow-up.delivered', followUpId: 'late', runId: 2n, steered: false }
  expect(world.events('a')).toContainEqual(late)
  world.progress('a', [{ type: 'run.steered', followUpId: 'late' }])
  expect(world.events('a').filter(({ type }) => type === 'follow-up.delivered')).toHaveLength(2)
})

test('a steering message to an idle agent wakes it like any other', () => {
  const world = running()
  world.end('a', outcomeOf('rested'))
  world.queue('a', { steers: true })
  expect(world.phase('a')).toBe('PHASE_PENDING')
})

test('only a plain message can steer', () => {
  const world = running()
  for (const facts of [
    { preempt: true },
    { deliverAt: world.now + 1000 },
    { tasks: [taskOf('t')] },
    { override: { model: 'a-big' } },
  ]) {
    expect(refusalOf(() => world.queue('a', { steers: true, ...facts }))).toBe('REQUEST_INVALID')
  }
})
