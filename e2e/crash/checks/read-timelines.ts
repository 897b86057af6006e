import { setTimeout as pause } from 'node:timers/promises'
import type { TimelineEvent } from '@skein/contract'
import type { Api } from '../workload/api.ts'
import { agentId } from '../workload/paths.ts'

export interface AgentTimeline {
  readonly path: string
  readonly phase: string
  readonly events: readonly TimelineEvent[]
}

const AT_REST = new Set(['PHASE_WAITING', 'PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED'])
const READERS = 8

/** Waits until all agents are at rest. Returns those that aren't at the timeout. */
export async function untilAtRest(
  api: Api,
  paths: readonly string[],
  timeoutMs: number,
): Promise<{ restless: readonly string[]; afterMs: number }> {
  const startedAt = performance.now()
  let restless = paths
  for (;;) {
    restless = await stillRestless(api, restless)
    // A message that became due in between may have woken an agent.
    if (restless.length === 0) restless = await stillRestless(api, paths)
    const afterMs = Math.round(performance.now() - startedAt)
    if (restless.length === 0 || afterMs > timeoutMs) return { restless, afterMs }
    await pause(250)
  }
}

async function stillRestless(api: Api, paths: readonly string[]): Promise<string[]> {
  const found = await each(paths, async (path) => ((await isAtRest(api, path)) ? [] : [path]))
  return found.flat()
}

async function isAtRest(api: Api, path: string): Promise<boolean> {
  const { status, body } = await api.insist('/v1/agent/status', { agentId: agentId(path) })
  if (status === 404) return true
  const followUps = body['followUps'] as { state: string }[]
  // Messages deferred for an ended agent are dropped at their time, not before.
  return AT_REST.has(String(body['phase'])) && followUps.length === 0
}

/** The timelines of all agents that were ever spawned. */
export async function readTimelines(api: Api, paths: readonly string[]): Promise<AgentTimeline[]> {
  const found = await each(paths, async (path) => {
    const { status, body } = await api.insist('/v1/agent/status', { agentId: agentId(path) })
    if (status === 404) return []
    return [{ path, phase: String(body['phase']), events: await readTimeline(api, path) }]
  })
  return found.flat()
}

async function readTimeline(api: Api, path: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = []
  for (;;) {
    const { body } = await api.insist('/v1/agent/timeline', {
      agentId: agentId(path),
      afterSequence: events.at(-1)?.sequence ?? '0',
    })
    const page = body['events'] as TimelineEvent[]
    events.push(...page)
    // An empty page also ends it: the checks find a gap at the end.
    if (page.length === 0 || page.at(-1)?.sequence === body['lastSequence']) return events
  }
}

/** In order, with limited concurrency. */
async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as Item)
    }
  }
  await Promise.all(Array.from({ length: READERS }, worker))
  return results
}
