import { json } from 'node:stream/consumers'
import type { AgentId, TimelineEvent } from '@skein/contract'
import { ScriptedRunner, scriptOf, waitFor, type Step } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AgentWorld, runnerKey } from './agent-world.ts'
import { LiveClient, type LiveRequest } from './live-client.ts'

let world: AgentWorld
let live: LiveClient

beforeAll(async () => {
  world = await AgentWorld.start()
  live = await LiveClient.of(world.server, world.admin.key)
})

afterAll(() => world.close())

const isIdle = () =>
  waitFor(() => world.server.engine.wakeups.waiting === 0, { what: 'every stream to be let go' })

/** Reads a stream until it has this many events, then disconnects. */
async function read(
  agentId: AgentId,
  count: number,
  { afterSequence, ...request }: LiveRequest & { afterSequence?: string } = {},
): Promise<TimelineEvent[]> {
  const controller = new AbortController()
  const body = { agentId, ...(afterSequence !== undefined && { afterSequence }) }
  const events: TimelineEvent[] = []
  const signal = AbortSignal.any([controller.signal, ...(request.signal ? [request.signal] : [])])
  for await (const { id, data } of live.stream('/v1/agent/watch', body, { ...request, signal })) {
    const event = data as TimelineEvent
    expect(id).toBe(event.sequence)
    events.push(event)
    if (events.length >= count) break
  }
  controller.abort()
  return events
}

describe('a watch', () => {
  test('is a stream of server-sent events that nothing on the way keeps', async () => {
    const agentId = await world.spawn('headers')
    const controller = new AbortController()
    const response = await live.post('/v1/agent/watch', { agentId }, { signal: controller.signal })
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String) as string,
    })
    response.on('error', () => {})
    controller.abort()
    await isIdle()
  })

  test('returns the whole timeline, then new events as they happen', async () => {
    const { agentId, run } = await world.running('whole')
    const past = await world.timeline(agentId)
    const watching = read(agentId, past.length + 3)
    await waitFor(() => world.server.engine.wakeups.waiting === 1, { what: 'the watch' })
    await world.beat(run, { events: [{ type: 'run.message', text: 'Live.' }] })
    await world.complete(run, { reason: 'rested' })
    expect(await watching).toEqual(await world.timeline(agentId))
  })

  test('continues after the last seen event, given either way', async () => {
    const agentId = await world.spawn('resumed')
    const all = await world.timeline(agentId)
    expect(await read(agentId, 2, { afterSequence: '2' })).toEqual(all.slice(2, 4))
    expect(await read(agentId, 2, { headers: { 'last-event-id': '1' } })).toEqual(all.slice(1, 3))
  })

  test('believes the header of a reconnect before the place where the client once began', async () => {
    const agentId = await world.spawn('reconnected')
    const all = await world.timeline(agentId)
    const request = { afterSequence: '0', headers: { 'last-event-id': '3' } }
    expect(await read(agentId, 1, request)).toEqual(all.slice(3, 4))
  })

  test('of an agent that does not exist is an ordinary refusal', async () => {
    const response = await live.post('/v1/agent/watch', {
      agentId: { agent: ['nobody'], workspace: 'default' },
    })
    expect(response.statusCode).toBe(404)
    expect(await json(response)).toMatchObject({ code: 5 })
  })

  test('continues through the end of an agent and into its next incarnation', async () => {
    const agentId = await world.spawn('reborn')
    const { length } = await world.timeline(agentId)
    const watching = read(agentId, length + 6)
    await world.kill(agentId)
    await world.spawn('reborn')
    const types = (await watching).map(({ type }) => type)
    expect(types.filter((type) => type === 'agent.spawned')).toHaveLength(2)
  })

  test('of large events holds nothing on to the connection for each of them', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error) => void warnings.push(name)
    process.on('warning', note)
    const { agentId, run } = await world.running('large')
    const text = 'x'.repeat(200_000)
    for (let count = 0; count < 16; count++)
      await world.beat(run, { events: [{ type: 'run.message', text }] })
    const { length } = await world.timeline(agentId)
    expect(await read(agentId, length)).toHaveLength(length)
    await isIdle()
    process.off('warning', note)
    expect(warnings).toEqual([])
  })
})

test('a watcher that is cut 100 times at random while the agent works gets the timeline, no gap, no repeat', async () => {
  await world.admin.write('pool', 'scripted', {})
  const key = await runnerKey(world.tenant, 'scripted', { pools: ['scripted'] })
  await world.admin.write('workspace', 'scripted', { pool: 'scripted' })
  const says = Array.from({ length: 250 }, (_, index): Step => ({ do: 'say', text: `${index}` }))
  const agentId = await world.spawn('scripted', {
    agentId: { workspace: 'scripted' },
    description: scriptOf(...says, { do: 'rest' }),
  })
  const runner = new ScriptedRunner({ baseUrl: live.baseUrl, apiKey: key }).start()
  const random = randomNumbers(42)
  const seen: TimelineEvent[] = []
  let cuts = 0
  let isWorking = true
  let halfway = ''
  while (cuts < 100 || isWorking) {
    const last = seen.at(-1)?.sequence ?? '0'
    const place = cuts % 2 === 0 ? { headers: { 'last-event-id': last } } : { afterSequence: last }
    const signal = AbortSignal.timeout(1 + Math.floor(random() * 60))
    seen.push(...(await read(agentId, 1 + Math.floor(random() * 8), { ...place, signal })))
    cuts += 1
    if (cuts >= 100) isWorking = (await world.phase(agentId)) !== 'PHASE_WAITING'
    if (cuts === 50) halfway = await world.phase(agentId)
  }
  expect(halfway).toBe('PHASE_RUNNING')
  const all = await world.timeline(agentId)
  const rest = all.length - seen.length
  if (rest > 0) seen.push(...(await read(agentId, rest, { afterSequence: seen.at(-1)?.sequence ?? '0' })))
  expect(seen.map(({ sequence }) => sequence)).toEqual(all.map(({ sequence }) => sequence))
  expect(seen).toEqual(all)
  await runner.stop()
  await isIdle()
})

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
