import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FleetEntry, FleetFilter, FleetWatchOptions, WatchState } from '../src/index.ts'
import { createRandom, startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts'
import { collect, startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
let proxy: CuttingProxy
beforeAll(async () => {
  world = await startSkeinWorld()
})
beforeEach(async () => {
  proxy = await startCuttingProxy(world.directUrl)
  return () => proxy.close()
})
afterAll(() => world.close())

const nameOf = ({ agentId }: FleetEntry): string => agentId.agent.join('/')

const isWatching = (count: number) =>
  waitFor(() => world.server.engine.wakeups.waiting === count, { what: `${count} streams` })

/** Watches in the background until it is told to stop. */
function follow(filter: FleetFilter, options: FleetWatchOptions = {}, baseUrl = proxy.url) {
  const controller = new AbortController()
  const known = new Map<string, string>()
  const states: WatchState[] = []
  const run = async (): Promise<void> => {
    const watch = world.connect({ baseUrl }).watchFleet(filter, {
      ...options,
      signal: controller.signal,
      onState: (state) => void states.push(state),
    })
    for await (const { entry, isListed } of watch)
      known.set(nameOf(entry), isListed ? entry.phase : `${entry.phase} gone`)
  }
  const running = run()
  return {
    known,
    states,
    sees: (name: string, phase: string) =>
      waitFor(() => known.get(name) === phase, { what: `${name} ${phase}` }),
    async end() {
      controller.abort()
      await running
      await isWatching(0)
    },
  }
}

test('a fleet is all levels, over all pages, and a page has a cursor', async () => {
  const labels = { suite: 'pages' }
  const root = await world.skein.spawn({ name: 'root', description: 'Work.', labels })
  for (const name of ['a', 'b', 'c']) await root.spawn({ name, description: 'Work.', labels })
  const all = await collect(world.skein.fleet({ labels, pageSize: 2 }))
  expect(all.map(nameOf)).toEqual(['root/c', 'root/b', 'root/a', 'root'])
  expect((await collect(world.skein.fleet({ under: root, pageSize: 3 }))).map(nameOf)).toEqual(
    all.map(nameOf),
  )
  const page = await world.skein.listFleet({ labels, pageSize: 3 })
  expect(page.entries).toHaveLength(3)
  expect(page.cursor).not.toBe('')
  const rest = await world.skein.listFleet({ labels, pageSize: 3, pageToken: page.nextPageToken })
  expect(rest.entries.map(nameOf)).toEqual(['root'])
  await root.kill()
})

test('a summary counts what there is', async () => {
  const agent = await world.skein.spawn({ name: 'counted', description: 'Work.' })
  const { phases, spend, workspaces } = await world.skein.fleetSummary({ account: '*', hours: 2 })
  expect(phases.find(({ phase }) => phase === 'PHASE_PENDING')?.agents).toBe(1)
  expect(spend).toHaveLength(2)
  expect(workspaces).toEqual([{ workspace: 'default', agents: 1, cost: 0 }])
  await agent.kill()
})

test('a watch of the audit log has each entry once although its connections were cut anywhere', async () => {
  const cuts = { count: 12, maxBytes: 3_000, maxMs: 150, random: createRandom(5) }
  const cutting = await startCuttingProxy(world.directUrl, cuts)
  const { cursor } = await world.skein.listAudit({ pageSize: 1 })
  const controller = new AbortController()
  const told: string[] = []
  const watching = (async () => {
    const options = { after: cursor, signal: controller.signal }
    const client = world.connect({ baseUrl: cutting.url })
    for await (const { entry } of client.watchAudit({ kind: 'pool' }, options)) told.push(entry.name)
  })()
  const names = Array.from({ length: 15 }, (_, index) => `audited-${index}`)
  for (const name of names) await world.skein.catalog.put('pool', name, {})
  await waitFor(() => cutting.cuts >= 12, { what: 'the cuts', timeoutMs: 25_000 })
  await waitFor(() => told.length >= names.length, { what: 'every entry' })
  controller.abort()
  await watching
  await cutting.close()
  await isWatching(0)
  expect(told).toEqual(names)
}, 40_000)

describe('a watch of a fleet', () => {
  test('continues after a disconnect and reports what changed in the meantime', async () => {
    const { cursor } = await world.skein.listFleet()
    const agent = await world.skein.spawn({ name: 'cut', description: 'Work.' })
    const { sees, end, states } = follow({}, { after: cursor })
    await sees('cut', 'PHASE_PENDING')
    proxy.cutAll()
    await agent.kill()
    await sees('cut', 'PHASE_CANCELED gone')
    await end()
    expect(states).toEqual(['connecting', 'open', 'lost', 'connecting', 'open'])
  })

  test('that was cut before it heard anything misses nothing', async () => {
    const { sees, end, states } = follow({})
    await isWatching(1)
    proxy.cutAll()
    const agent = await world.skein.spawn({ name: 'unheard', description: 'Work.' })
    await sees('unheard', 'PHASE_PENDING')
    await agent.kill()
    await sees('unheard', 'PHASE_CANCELED gone')
    await end()
    expect(states).toContain('lost')
  })

  test('knows all in the end although fifty connections were cut anywhere', { timeout: 60_000 }, async () => {
    const cuts = { count: 50, maxBytes: 6_000, maxMs: 150, random: createRandom(3) }
    const cutting = await startCuttingProxy(world.directUrl, cuts)
    const { cursor } = await world.skein.listFleet()
    const { known, end } = follow({ includeTerminal: true }, { after: cursor }, cutting.url)
    const names = Array.from({ length: 40 }, (_, index) => `many-${index}`)
    for (const [index, name] of names.entries()) {
      const agent = await world.skein.spawn({ name, description: 'Work.' })
      if (index % 2 === 0) await agent.kill()
    }
    await waitFor(() => cutting.cuts >= 50, { what: 'fifty cuts', timeoutMs: 40_000 })
    const expected = names.map((_, index) => (index % 2 === 0 ? 'PHASE_CANCELED' : 'PHASE_PENDING'))
    await waitFor(() => names.every((name, index) => known.get(name) === expected[index]), {
      what: 'every agent as it is',
    })
    await end()
    await cutting.close()
    // Of an earlier agent it may be told again how that ended: the cursor waits for the oldest transaction.
    expect([...known.keys()].filter((name) => name.startsWith('many-')).sort()).toEqual([...names].sort())
    for (const name of names.filter((_, index) => index % 2 === 1))
      await world.skein.agent(`default/${name}`).kill()
  })

  test('continues from a position that came without a change', async () => {
    const asked: unknown[] = []
    const stop = new AbortController()
    const send: typeof fetch = async (_, init) => {
      const { after } = JSON.parse(init?.body as string) as { after: string }
      asked.push(after)
      if (asked.length === 2) stop.abort()
      const text = 'event: position\nid: further\ndata: {"cursor":"further"}\n\nevent: new\ndata: {}\n\n'
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
    const watch = world.connect({ fetch: send }).watchFleet({}, { after: 'first', signal: stop.signal })
    expect(await collect(watch)).toEqual([])
    expect(asked).toEqual(['first', 'further'])
  })

  test('without the caller’s cursor it reports the whole fleet when its own has expired', async () => {
    const agents = [
      await world.skein.spawn({ name: 'known', description: 'Work.' }),
      await world.skein.spawn({ name: 'known2', description: 'Work.' }),
    ]
    let watches = 0
    const send: typeof fetch = async (url, init) => {
      if (!(url as string).endsWith('/v1/fleet/watch')) return fetch(url, init)
      watches += 1
      if (watches !== 2) return fetch(url, init)
      const body = { ...(JSON.parse(init?.body as string) as object), after: 'x' }
      return fetch(url, { ...init, body: JSON.stringify(body) })
    }
    const stop = new AbortController()
    const told = new Set<string>()
    const watching = (async () => {
      const skein = world.connect({ baseUrl: proxy.url, fetch: send })
      for await (const { entry } of skein.watchFleet({}, { signal: stop.signal })) told.add(nameOf(entry))
    })()
    await isWatching(1)
    proxy.cutAll()
    await waitFor(() => told.has('known') && told.has('known2'), { what: 'the whole fleet' })
    agents.push(await world.skein.spawn({ name: 'fresh', description: 'Work.' }))
    await waitFor(() => told.has('fresh'), { what: 'the watch to continue' })
    stop.abort()
    await watching
    expect(watches).toBe(3)
    for (const agent of agents) await agent.kill()
    await isWatching(0)
  })

  test('ends with the reason when its cursor is of no use', async () => {
    const watch = world.skein.watchFleet({}, { after: 'x' }).next()
    await expect(watch).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' })
  })
})

test('every watch reports when its connection is lost and when it is back', async () => {
  const agent = await world.skein.spawn({ name: 'stated', description: 'Work.' })
  const client = world.connect({ baseUrl: proxy.url })
  const states: Record<string, WatchState[]> = { agent: [], agents: [], fleet: [] }
  const stop = new AbortController()
  const options = (name: string) => ({
    signal: stop.signal,
    onState: (state: WatchState) => void states[name]?.push(state),
  })
  const watching = [
    collect(client.agent(agent.id).watch(options('agent'))),
    collect(client.watchAgents({}, options('agents'))),
    collect(client.watchFleet({}, options('fleet'))),
  ]
  await isWatching(3)
  // The service knows of a watch before its caller does.
  await waitFor(() => Object.values(states).every(({ length }) => length === 2), { what: 'all to be open' })
  proxy.cutAll()
  await waitFor(() => Object.values(states).every(({ length }) => length === 5), { what: 'all to be back' })
  for (const told of Object.values(states))
    expect(told).toEqual(['connecting', 'open', 'lost', 'connecting', 'open'])
  stop.abort()
  await Promise.all(watching)
  await agent.kill()
})
