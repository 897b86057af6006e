import { scriptOf, waitFor, type Step } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  isTerminal,
  SkeinApiError,
  SkeinConnectionError,
  type Agent,
  type TimelineEvent,
} from '../src/index.ts'
import { createRandom, startCuttingProxy } from './cutting-proxy.ts'
import { collect, startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
beforeAll(async () => {
  world = await startSkeinWorld()
})
afterAll(() => world.close())

const talk = (count: number): Step[] =>
  Array.from({ length: count }, (_, index) => ({ do: 'say', text: `${index}` }))

const isEnd = (event: TimelineEvent): boolean => event.type === 'agent.phase-changed' && isTerminal(event.to)

const messageOf = (sequence: number) => `id: ${sequence}\ndata: {"sequence":"${sequence}"}\n\n`

/** Where a request to watch begins. */
function afterOf(init: RequestInit | undefined): string {
  const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '')
  return (body as { afterSequence: string }).afterSequence
}

async function watchToEnd(agent: Agent, after?: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = []
  for await (const event of agent.watch({ after })) {
    events.push(event)
    if (isEnd(event)) break
  }
  return events
}

const isIdle = () =>
  waitFor(() => world.server.engine.wakeups.waiting === 0, { what: 'every stream to be let go' })

describe('the end of a watch', () => {
  test('lets go of the service when the loop is left', async () => {
    const agent = await world.skein.spawn({ name: 'left', description: 'Work.' })
    for await (const event of agent.watch()) if (event.sequence === '2') break
    expect(await isIdle()).toBe(true)
  })

  test('is not an error when the signal is aborted, whether or not it is connected', async () => {
    const agent = await world.skein.spawn({ name: 'aborted', description: 'Work.' })
    const controller = new AbortController()
    const events: TimelineEvent[] = []
    for await (const event of agent.watch({ signal: controller.signal })) {
      events.push(event)
      if (events.length === 2) controller.abort()
    }
    expect(events).toHaveLength(2)
    expect(await collect(agent.watch({ signal: controller.signal }))).toEqual([])
    const quiet = new AbortController()
    const last = (await collect(agent.timeline())).at(-1)?.sequence
    const watching = collect(agent.watch({ after: last, signal: quiet.signal }))
    await waitFor(() => world.server.engine.wakeups.waiting === 1, { what: 'the watch' })
    quiet.abort()
    expect(await watching).toEqual([])
    await isIdle()
  })
})

describe('a watch', () => {
  // Not before: its polls are waiters too.
  beforeAll(() => world.startRunner([...talk(150), { do: 'finish' }]))

  test('returns the past, then new events, from any position', async () => {
    const agent = await world.skein.spawn({ description: scriptOf(...talk(5), { do: 'finish' }) })
    expect(await watchToEnd(agent)).toEqual(await collect(agent.timeline()))
    const all = await collect(agent.timeline())
    expect(await watchToEnd(agent, '3')).toEqual(all.slice(3))
  })

  test.each([1, 2, 3])(
    'has exactly the timeline over a line that is cut 30 times at random (seed %i)',
    async (seed) => {
      const cuts = { count: 30, maxBytes: 6_000, maxMs: 500, random: createRandom(seed) }
      const proxy = await startCuttingProxy(world.directUrl, cuts)
      onTestFinished(() => proxy.close())
      const agent = await world.skein.spawn({ description: 'Talk.' })
      const begun = new Set<string>()
      const send: typeof fetch = (url, init) => {
        begun.add(afterOf(init))
        return fetch(url, init)
      }
      const seen = world.connect({ baseUrl: proxy.url, retries: 40, fetch: send }).agent(agent.id)
      // Cuts that the end of the agent leaves over hit further looks at the same timeline.
      const watched = [await watchToEnd(seen)]
      while (proxy.cuts < cuts.count) watched.push(await watchToEnd(seen))
      const timeline = await collect(agent.timeline())
      expect(timeline.length).toBeGreaterThan(150)
      for (const events of watched) expect(events).toEqual(timeline)
      // Most cuts came in the middle of the events.
      expect(begun.size).toBeGreaterThan(10)
    },
  )

  test('reconnects after the service was down, and gives up if that takes too long', async () => {
    const agent = await world.skein.spawn({ name: 'away', description: scriptOf({ do: 'rest' }) })
    const proxy = await startCuttingProxy(world.directUrl)
    let nowMs = 0
    const skein = world.connect({ baseUrl: proxy.url, now: () => nowMs, onRetry: () => (nowMs += 1_000) })
    const watching = skein.agent(agent.id).watch({ reconnectForMs: 20_000 })
    await watching.next()
    await proxy.close()
    await expect(collect(watching)).rejects.toThrow(SkeinConnectionError)
    expect(nowMs).toBe(20_000)
  })

  test('does not continue if the service refuses', async () => {
    const stranger = world.connect({ apiKey: 'skn_unknown.key' }).agent('some/agent')
    const error: unknown = await collect(stranger.watch()).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(SkeinApiError)
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 })
  })

  test('drops what a resumed stream repeats', async () => {
    const answers = [[1, 2], [1, 2, 3, 2], [4]].map((list) => list.map(messageOf).join(''))
    const asked: string[] = []
    const send: typeof fetch = async (_url, init) => {
      asked.push(afterOf(init))
      return new Response(answers.shift() ?? '', { headers: { 'content-type': 'text/event-stream' } })
    }
    const sequences: string[] = []
    for await (const { sequence } of world.connect({ fetch: send }).agent('w/a').watch()) {
      sequences.push(sequence)
      if (sequence === '4') break
    }
    expect(sequences).toEqual(['1', '2', '3', '4'])
    expect(asked).toEqual(['0', '2', '3'])
  })
})
