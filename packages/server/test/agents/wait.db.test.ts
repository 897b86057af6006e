import { once } from 'node:events'
import { connect } from 'node:net'
import type { AgentId } from '@skein/contract'
import { startTestServer, waitFor, type TestAnswer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld } from './agent-world.ts'
import { LiveClient } from './live-client.ts'

let world: AgentWorld
let live: LiveClient

beforeAll(async () => {
  world = await AgentWorld.start()
  live = await LiveClient.of(world.server, world.admin.key)
})

afterAll(() => world.close())

const wait = (agentId: AgentId, prefer?: string): Promise<TestAnswer> =>
  world.admin.post('/v1/agent/wait', { agentId }, prefer === undefined ? {} : { headers: { prefer } })
const waiting = () => world.server.engine.wakeups.waiting
const waitersAre = (count: number) =>
  waitFor(() => waiting() === count, { what: `${count} waiting requests` })

describe('a wait', () => {
  test('is answered immediately if the agent already needs attention', async () => {
    const completed = await world.running('completed')
    await world.complete(completed.run, { reason: 'finished' })
    expect((await wait(completed.agentId)).body).toMatchObject({
      reason: 'WAIT_REASON_COMPLETED',
      status: { phase: 'PHASE_COMPLETED', runCount: '1' },
    })
    const failed = await world.running('failed')
    await world.complete(failed.run, { reason: 'failed' })
    expect((await wait(failed.agentId)).body['reason']).toBe('WAIT_REASON_FAILED')
    const canceled = await world.spawn('canceled')
    await world.kill(canceled)
    expect((await wait(canceled)).body['reason']).toBe('WAIT_REASON_CANCELED')
    expect((await wait(await world.resting('resting'))).body['reason']).toBe('WAIT_REASON_WAITING')
  })

  test('of an agent that does not exist is not found', async () => {
    const agentId = { agent: ['nobody'], workspace: 'default' } as AgentId
    expect(await wait(agentId)).toMatchObject({ status: 404, reason: 'AGENT_NOT_FOUND' })
  })

  test('is held while the agent works, and answered when it comes to rest', async () => {
    const { agentId, run } = await world.running('working')
    const answer = wait(agentId)
    await waitersAre(1)
    await world.beat(run, { events: [{ type: 'run.message', text: 'Still at it.' }] })
    await world.queue(agentId)
    await world.complete(run, { reason: 'rested' })
    const second = await world.take(agentId)
    expect(waiting()).toBe(1)
    await world.complete(second, { reason: 'asked', needsInput: 'Well?' })
    expect((await answer).body).toMatchObject({
      reason: 'WAIT_REASON_WAITING',
      status: { needsInput: 'Well?', runCount: '2' },
    })
    await waitersAre(0)
  })

  test('is answered by a kill, and by the kill of an ancestor', async () => {
    const parent = await world.spawn('parent')
    const child = await world.spawn(['parent', 'child'])
    const answers = [wait(parent), wait(child)]
    await waitersAre(2)
    await world.kill(parent)
    for (const { body } of await Promise.all(answers)) expect(body['reason']).toBe('WAIT_REASON_CANCELED')
  })

  test('is answered on whichever server it is held', async () => {
    const other = await startTestServer({ database: world.server.database })
    try {
      const { agentId, run } = await world.running('elsewhere')
      const key = String(world.admin.key)
      const request = { method: 'POST', url: '/v1/agent/wait', payload: { agentId } } as const
      const answer = other.app.inject({ ...request, headers: { authorization: `Bearer ${key}` } })
      await waitFor(() => other.engine.wakeups.waiting === 1, { what: 'the other server' })
      const endedAt = performance.now()
      await world.complete(run, { reason: 'finished' })
      expect((await answer).json()).toMatchObject({ reason: 'WAIT_REASON_COMPLETED' })
      expect(performance.now() - endedAt).toBeLessThan(4_000)
    } finally {
      await other.close()
    }
  })

  test('is let go by a server that stops', async () => {
    const other = await startTestServer({ database: world.server.database })
    const agentId = await world.spawn('stopping')
    const answer = other.app.inject({
      method: 'POST',
      url: '/v1/agent/wait',
      payload: { agentId },
      headers: { authorization: `Bearer ${String(world.admin.key)}` },
    })
    await waitFor(() => other.engine.wakeups.waiting === 1, { what: 'the wait' })
    await other.close()
    expect((await answer).statusCode).toBe(503)
  })
})

test('a connection that was opened in advance and never used does not hold up a stop', async () => {
  const other = await startTestServer({ database: world.server.database })
  const { port } = new URL(await other.app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const stoppedAt = performance.now()
  await other.close()
  expect(performance.now() - stoppedAt).toBeLessThan(5_000)
  socket.destroy()
})

describe('who has already looked', () => {
  const topic = ['a:00000000-0000-0000-0000-000000000000']

  test('looks again where something was woken before it could subscribe', async () => {
    const { wakeups } = world.server.engine
    const lookedAt = wakeups.wakeCount
    await world.spawn('meanwhile')
    const { signal } = new AbortController()
    expect(await wakeups.until(topic, { signal }, async () => 'seen', lookedAt)).toBe('seen')
  })

  test('is spared another look where nothing was', async () => {
    const { wakeups } = world.server.engine
    const { signal } = new AbortController()
    const patience = { signal, deadlineMs: Date.now() + 1 }
    expect(await wakeups.until(topic, patience, async () => 'seen', wakeups.wakeCount)).toBeUndefined()
  })
})

describe('a preferred time', () => {
  test('ends the wait with the status as it is then', async () => {
    const agentId = await world.spawn('preferred')
    const beganAt = performance.now()
    const { body } = await wait(agentId, 'wait=1')
    expect(body).toMatchObject({ reason: 'WAIT_REASON_UNSPECIFIED', status: { phase: 'PHASE_PENDING' } })
    const tookMs = performance.now() - beganAt
    expect(tookMs).toBeGreaterThan(900)
    expect(tookMs).toBeLessThan(10_000)
  })

  test('is found among other preferences, and zero means now', async () => {
    const agentId = await world.spawn('zero')
    expect((await wait(agentId, 'respond-async, wait=0')).body['reason']).toBe('WAIT_REASON_UNSPECIFIED')
  })

  test('is kept also where a timer goes off a fraction of a millisecond early', async () => {
    const { signal } = new AbortController()
    const waits = Array.from({ length: 50 }, (_, index) => {
      const deadlineMs = Date.now() + 5 + index + 0.9
      return world.server.engine.wakeups.until(
        ['a:00000000-0000-0000-0000-000000000000'],
        { signal, deadlineMs },
        async () => undefined,
      )
    })
    expect(new Set(await Promise.all(waits))).toEqual(new Set([undefined]))
  })

  test('does not hold up an answer that comes before', async () => {
    const { agentId, run } = await world.running('before')
    const answer = wait(agentId, 'wait=60')
    await waitersAre(1)
    await world.complete(run, { reason: 'finished' })
    expect((await answer).body['reason']).toBe('WAIT_REASON_COMPLETED')
  })
})

async function sendAndHangUp(key: string, body: object): Promise<void> {
  const { hostname, port } = new URL(live.baseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const text = JSON.stringify(body)
  const head = [
    'POST /v1/agent/wait HTTP/1.1',
    `host: ${hostname}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${text.length}`,
  ]
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${text}`, resolve))
  socket.destroy()
  await once(socket, 'close')
}

describe('hanging up', () => {
  test('frees everything that 100 waits held', async () => {
    const agentId = await world.spawn('hung-up')
    const controller = new AbortController()
    const answers = Array.from({ length: 100 }, () =>
      live.post('/v1/agent/wait', { agentId }, { signal: controller.signal }).catch(() => undefined),
    )
    await waitersAre(100)
    controller.abort()
    await Promise.all(answers)
    await waitersAre(0)
    expect(world.server.engine.database.connections.waiting).toBe(0)
  })

  test('before the key is checked leaves nothing behind', async () => {
    const agentId = await world.spawn('hasty')
    // So many wait for a database connection at the same time that they are gone before they get one.
    const { key } = await world.tenant.as('viewer', 'hasty')
    await Promise.all(Array.from({ length: 60 }, () => sendAndHangUp(String(key), { agentId })))
    // Each of them was read to its end, so each would be waiting by now.
    for (let count = 0; count < 10; count++) await world.timeline(agentId)
    await waitersAre(0)
    expect(world.server.engine.database.connections.waiting).toBe(0)
  })
})
