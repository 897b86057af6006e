import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AgentEntry, AgentFilter } from '../src/index.ts'
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts'
import { startSkeinWorld, type SkeinWorld } from './skein-world.ts'

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

/** Watches in the background until it is told to stop. */
function follow(filter: AgentFilter) {
  const controller = new AbortController()
  const lines: string[] = []
  const watch = async (): Promise<void> => {
    const entries = world.connect({ baseUrl: proxy.url }).watchAgents(filter, { signal: controller.signal })
    for await (const entry of entries) lines.push(lineOf(entry))
  }
  const watching = watch()
  return {
    lines,
    sees: (line: string) =>
      waitFor(() => lines.includes(line), { what: `${line} among ${lines.join(', ')}` }),
    async end() {
      controller.abort()
      await watching
    },
  }
}

const isWatching = (count: number) =>
  waitFor(() => world.server.engine.wakeups.waiting === count, { what: `${count} streams` })

const lineOf = ({ agentId, phase }: AgentEntry): string => `${agentId.agent.join('/')} ${phase}`

test('a list is given as it is, then each change, and ends with the signal', async () => {
  const labels = { suite: 'changes' }
  const old = await world.skein.spawn({ name: 'old', description: 'Work.', labels })
  const { sees, end, lines } = follow({ labels })
  await sees('old PHASE_PENDING')
  const fresh = await world.skein.spawn({ name: 'fresh', description: 'Work.', labels })
  await sees('fresh PHASE_PENDING')
  await old.kill()
  await sees('old PHASE_CANCELED')
  await end()
  expect(lines).toEqual(['old PHASE_PENDING', 'fresh PHASE_PENDING', 'old PHASE_CANCELED'])
  await fresh.kill()
})

test('after a disconnect nothing is repeated, and what left the list in the meantime is reported', async () => {
  const labels = { suite: 'cut' }
  const spawn = (name: string) => world.skein.spawn({ name, description: 'Work.', labels })
  const stays = await spawn('stays')
  const leaves = await spawn('leaves')
  const { sees, end, lines } = follow({ labels })
  await sees('stays PHASE_PENDING')
  await sees('leaves PHASE_PENDING')
  // Ended in the same moment as the line is cut: the stream could not have told it.
  proxy.cutAll()
  await leaves.kill()
  await sees('leaves PHASE_CANCELED')
  await isWatching(1)
  proxy.cutAll()
  await spawn('comes')
  await sees('comes PHASE_PENDING')
  await stays.kill()
  await sees('stays PHASE_CANCELED')
  await end()
  expect([...lines].sort()).toEqual([
    'comes PHASE_PENDING',
    'leaves PHASE_CANCELED',
    'leaves PHASE_PENDING',
    'stays PHASE_CANCELED',
    'stays PHASE_PENDING',
  ])
})

test('the end of the only agent on the list is reported although it came during a disconnect', async () => {
  const labels = { suite: 'only' }
  const only = await world.skein.spawn({ name: 'only', description: 'Work.', labels })
  const { sees, end, lines } = follow({ labels })
  await sees('only PHASE_PENDING')
  proxy.cutAll()
  await only.kill()
  await sees('only PHASE_CANCELED')
  await end()
  expect(lines).toEqual(['only PHASE_PENDING', 'only PHASE_CANCELED'])
})
