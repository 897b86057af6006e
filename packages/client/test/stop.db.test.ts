import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SkeinApiError } from '../src/index.ts'
import { startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
beforeAll(async () => {
  world = await startSkeinWorld()
  await world.startRunner([{ do: 'hang' }])
})
afterAll(() => world.close())

const refused = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'not refused',
    (error: unknown) => (error instanceof SkeinApiError ? error.reason : String(error)),
  )

test('a stop finds the current turn by itself, and hits no later one when repeated', async () => {
  const agent = await world.skein.spawn({ name: 'stopped', description: 'Work.' })
  const isRunning = async () => (await agent.status()).phase === 'PHASE_RUNNING'
  await waitFor(isRunning, { what: 'the first turn' })
  expect(await agent.stop()).toEqual({ runId: '1' })
  await waitFor(async () => (await agent.status()).phase === 'PHASE_WAITING', {
    what: 'the end of the turn',
  })
  await agent.send('Again.')
  await waitFor(isRunning, { what: 'the second turn' })
  expect(await refused(agent.stop({ runId: '1' }))).toBe('RUN_NOT_CURRENT')
  expect(await isRunning()).toBe(true)
  expect(await agent.stop({ mode: 'STOP_TURN_MODE_KILL' })).toEqual({ runId: '2' })
  await waitFor(async () => (await agent.status()).run.endReason === 'killed', {
    what: 'the kill of the turn',
  })
  expect(await refused(agent.stop())).toBe('RUN_NOT_CURRENT')
})
