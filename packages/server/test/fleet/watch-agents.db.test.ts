import type { AgentEntry } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentWorld } from '../agents/agent-world.ts'
import { LiveClient } from '../agents/live-client.ts'

let world: AgentWorld
let live: LiveClient

beforeAll(async () => {
  world = await AgentWorld.start()
  live = await LiveClient.of(world.server, world.admin.key)
})

afterAll(() => world.close())

/** Watches a list in the background; `phases` is what it has shown, as name and phase. */
function watch(body: object, client = live) {
  const controller = new AbortController()
  const phases: string[] = []
  const ended = (async () => {
    for await (const { data } of client.stream('/v1/agents/watch', body, { signal: controller.signal })) {
      const { agentId, phase } = data as AgentEntry
      phases.push(`${agentId.agent.join('/')} ${phase.replace('PHASE_', '')}`)
    }
  })()
  return {
    phases,
    shows: (entry: string) =>
      waitFor(() => phases.includes(entry), { what: `${entry} among ${phases.join(', ')}` }),
    async stop() {
      controller.abort()
      await ended
      await waitFor(() => world.server.engine.wakeups.waiting === 0, { what: 'the stream to be let go' })
    },
  }
}

test('a watched list shows each entry as it is, and again whenever it changes', async () => {
  const agentId = await world.spawn('changing')
  const list = watch({})
  await list.shows('changing PENDING')
  const run = await world.take(agentId)
  await list.shows('changing RUNNING')
  await world.complete(run, { reason: 'rested' })
  await list.shows('changing WAITING')
  await world.spawn('added')
  await list.shows('added PENDING')
  expect(list.phases.filter((entry) => entry.startsWith('changing')).slice(0, 2)).toEqual([
    'changing PENDING',
    'changing RUNNING',
  ])
  await list.stop()
})

test('a watched list shows an agent that leaves it once more, and then no longer', async () => {
  const agentId = await world.spawn('leaving')
  const list = watch({})
  await list.shows('leaving PENDING')
  await world.kill(agentId)
  await list.shows('leaving CANCELED')
  await world.spawn('marker')
  await list.shows('marker PENDING')
  expect(list.phases.filter((entry) => entry === 'leaving CANCELED')).toHaveLength(1)
  await world.spawn('leaving')
  await waitFor(() => list.phases.filter((entry) => entry === 'leaving PENDING').length === 2, {
    what: 'the next life',
  })
  await list.stop()
})

test('a watched list is narrowed as a list is', async () => {
  const carol = await world.tenant.as('member', 'carol')
  const list = watch({ account: 'carol', labelSelector: 'env=dev' })
  await world.spawn('mine', { labels: { env: 'dev' } })
  await world.spawn('hers-in-prod', { labels: { env: 'prod' } }, carol)
  await world.spawn('hers-in-dev', { labels: { env: 'dev' } }, carol)
  await list.shows('hers-in-dev PENDING')
  expect(list.phases).toEqual(['hers-in-dev PENDING'])
  await list.stop()
})

test('the children of one parent can be watched, and a parent that does not exist is refused', async () => {
  const parentId = await world.spawn('parent')
  const list = watch({ parentId })
  await world.spawn(['parent', 'child'])
  await list.shows('parent/child PENDING')
  expect(list.phases).toEqual(['parent/child PENDING'])
  await list.stop()
  const missing = await live.post('/v1/agents/watch', { parentId: { ...parentId, agent: ['nobody'] } })
  expect(missing.statusCode).toBe(404)
  missing.resume()
})

test('nothing of another tenant is ever shown', async () => {
  const rival = await world.server.createTenant()
  const list = watch(
    { account: '*', includeTerminal: true },
    await LiveClient.of(world.server, rival.admin.key),
  )
  await world.spawn('unseen')
  const other = await AgentWorld.in(world.server, rival)
  await other.spawn('seen')
  await list.shows('seen PENDING')
  expect(list.phases).toEqual(['seen PENDING'])
  await list.stop()
})
