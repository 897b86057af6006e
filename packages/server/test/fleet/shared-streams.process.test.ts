import type { AgentId } from '@skein/contract'
import { machineNow, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'
import { copyAgent } from '../agents/many-agents.ts'

const STREAMS = 100

let world: AgentWorld
let other: AgentWorld
let live: LiveClient
let stop: AbortController
let seed: AgentId

/** Every agent has them all, so that each of these selectors is another one and finds the same. */
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const labels = Object.fromEntries(names.map((name) => [name, 'x']))
const selectorOf = (index: number) =>
  names
    .filter((_, bit) => ((index + 1) >> bit) % 2 === 1)
    .map((name) => `${name}=x`)
    .join(',')

beforeAll(async () => {
  world = await AgentWorld.start()
  other = await AgentWorld.in(world.server, await world.server.createTenant())
  const viewer = await world.tenant.as('viewer')
  live = await LiveClient.of(world.server, viewer.key)
  seed = await world.spawn('seed', { labels })
  await copyAgent(world, seed, 1_000)
  await other.spawn('calm')
})

beforeEach(() => {
  stop = new AbortController()
})

afterAll(() => world.close())

/** How many transactions the server makes. */
const countReads = () => vi.spyOn(world.server.engine.database, 'forTenant')

/** Streams of one viewer, and how many of them have shown the event that the predicate describes. */
function watch(path: string, bodies: readonly object[], isShown: (data: unknown) => boolean) {
  const shown = new Set<number>()
  let toldAt = machineNow()
  /** What the lists begin with is still being sent. */
  const isBusy = () => machineNow() - toldAt < 1_000
  const ended = bodies.map(async (body, index) => {
    for await (const { data } of live.stream(path, body, { signal: stop.signal })) {
      toldAt = machineNow()
      if (isShown(data)) shown.add(index)
    }
  })
  return {
    /** A feed tells nothing until something changes, so it is the server that says how many wait. */
    begin: () =>
      waitFor(() => world.server.engine.wakeups.waiting >= bodies.length && !isBusy(), {
        what: 'all to begin',
        timeoutMs: 60_000,
      }),
    show: () => waitFor(() => shown.size === bodies.length, { what: 'all to show it', timeoutMs: 30_000 }),
    async end() {
      stop.abort()
      await Promise.all(ended)
      await waitFor(() => world.server.engine.wakeups.waiting === 0, { what: 'the streams to be let go' })
    },
  }
}

/** The slowest of another tenant's requests while the work is done. */
async function slowestMeanwhile(work: Promise<unknown>): Promise<number> {
  const done = new AbortController()
  const ended = work.finally(() => done.abort())
  let slowest = 0
  while (!done.signal.aborted) {
    const startedAt = machineNow()
    const { status } = await other.admin.post('/v1/agents', {})
    expect(status).toBe(200)
    slowest = Math.max(slowest, machineNow() - startedAt)
  }
  await ended
  return slowest
}

const bodies = {
  'the same list': () => ({ account: '*' }),
  'lists of their own': (index: number) => ({ account: '*', labelSelector: selectorOf(index) }),
}

async function spawnWhile(name: string, streams: ReturnType<typeof watch>) {
  await streams.begin()
  const reads = countReads()
  const slowest = await slowestMeanwhile(world.spawn(name, { labels }).then(() => streams.show()))
  const amount = reads.mock.calls.filter(([tenantId]) => tenantId === world.tenant.id).length
  reads.mockRestore()
  await streams.end()
  return { slowest, amount }
}

test.each([
  ['/v1/agents/watch', 'the same list'],
  ['/v1/agents/watch', 'lists of their own'],
  ['/v1/fleet/watch', 'the same list'],
  ['/v1/fleet/watch', 'lists of their own'],
] as const)(
  '100 streams of %s with %s: others are served, and a change is read once',
  async (path, which) => {
    const name = `new-${path.length}-${which.length}`
    const all = Array.from({ length: STREAMS }, (_, index) => bodies[which](index))
    const { slowest, amount } = await spawnWhile(
      name,
      watch(path, all, (data) => JSON.stringify(data).includes(`"${name}"`)),
    )
    expect(amount).toBeLessThan(20)
    expect(slowest).toBeLessThan(200)
  },
)

test('100 streams of one timeline: others are served, and an event is read once', async () => {
  const all = Array.from({ length: STREAMS }, () => ({ agentId: seed }))
  const streams = watch('/v1/agent/watch', all, (data) => JSON.stringify(data).includes('"told"'))
  await streams.begin()
  const reads = countReads()
  const slowest = await slowestMeanwhile(world.queue(seed, { followUpId: 'told' }).then(() => streams.show()))
  const amount = reads.mock.calls.filter(([tenantId]) => tenantId === world.tenant.id).length
  await streams.end()
  expect(amount).toBeLessThan(20)
  expect(slowest).toBeLessThan(200)
})
