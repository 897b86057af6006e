import { scriptOf, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
beforeAll(async () => {
  world = await startSkeinWorld()
  await world.startRunner()
})
beforeEach(() => world.proxy.plan())
afterAll(() => world.close())

test.each([
  ['completes', scriptOf({ do: 'finish', output: '{"ok":true}' }), 'WAIT_REASON_COMPLETED'],
  ['asks', scriptOf({ do: 'ask', question: 'Which one?' }), 'WAIT_REASON_WAITING'],
  ['fails', scriptOf({ do: 'fail', isRetryable: false }), 'WAIT_REASON_FAILED'],
])('a wait ends when the agent %s', async (_what, description, expected) => {
  const agent = await world.skein.spawn({ description })
  const { reason, status } = await agent.wait()
  expect(reason).toBe(expected)
  expect(status.agentId).toEqual(agent.id)
})

test('a wait ends when the agent is canceled', async () => {
  const agent = await world.skein.spawn({ description: scriptOf({ do: 'hang' }) })
  const waiting = agent.wait()
  await agent.kill()
  expect(await waiting).toMatchObject({ reason: 'WAIT_REASON_CANCELED' })
})

test.each([0, 300, 1_200])('a wait of %i ms ends with the status of that moment', async (timeoutMs) => {
  const agent = await world.skein.spawn({ description: scriptOf({ do: 'hang' }) })
  const startedAt = performance.now()
  const { reason, status } = await agent.wait({ timeoutMs })
  expect(reason).toBe('WAIT_REASON_UNSPECIFIED')
  expect(['PHASE_PENDING', 'PHASE_RUNNING']).toContain(status.phase)
  const elapsedMs = performance.now() - startedAt
  expect(elapsedMs).toBeGreaterThan(timeoutMs - 5)
  expect(elapsedMs).toBeLessThan(timeoutMs + 10_000)
  await agent.kill()
})

test('a wait survives a lost connection', async () => {
  const agent = await world.skein.spawn({ description: scriptOf({ do: 'work', ms: 200 }, { do: 'finish' }) })
  world.proxy.plan({ do: 'cut-answer' }, { do: 'cut-request' })
  expect(await agent.wait()).toMatchObject({ reason: 'WAIT_REASON_COMPLETED' })
})

test('a wait that is aborted throws the reason of the signal and lets go of the service', async () => {
  const agent = await world.skein.spawn({ description: scriptOf({ do: 'hang' }) })
  const controller = new AbortController()
  const waiting = agent.wait({ signal: controller.signal })
  const isHeld = () => world.proxy.requests.at(-1)?.url === '/v1/agent/wait'
  await waitFor(isHeld, { what: 'the wait to be sent' })
  controller.abort(new Error('changed my mind'))
  await expect(waiting).rejects.toThrow('changed my mind')
  await agent.kill()
})
