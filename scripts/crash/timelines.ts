import { setTimeout as pause } from 'node:timers/promises'
import type { TimelineEvent } from '@skein/contract'
import type { Api } from './api.ts'
import { agentId } from './client.ts'

export interface AgentTimeline {
  readonly path: string
  readonly phase: string
  readonly events: readonly TimelineEvent[]
}

const AT_REST = new Set(['PHASE_WAITING', 'PHASE_COMPLETED', 'PHASE_FAILED', 'PHASE_CANCELED'])

/** Waits until nothing is in motion any more. Answers who still is when the time is over. */
export async function untilAtRest(
  api: Api,
  paths: readonly string[],
  timeoutMs: number,
): Promise<{ restless: readonly string[]; afterMs: number }> {
  const startedAt = performance.now()
  let restless = paths
  for (;;) {
    const found = await Promise.all(restless.map((path) => isAtRest(api, path)))
    restless = restless.filter((_, index) => !found[index])
    const afterMs = Math.round(performance.now() - startedAt)
    if (restless.length === 0) {
      // A message whose time came in between may have woken one that was at rest.
      const again = await Promise.all(paths.map((path) => isAtRest(api, path)))
      restless = paths.filter((_, index) => !again[index])
      if (restless.length === 0) return { restless, afterMs }
    }
    if (afterMs > timeoutMs) return { restless, afterMs }
    await pause(250)
  }
}

async function isAtRest(api: Api, path: string): Promise<boolean> {
  const { status, body } = await api.insist('/v1/agent/status', { agentId: agentId(path) })
  if (status === 404) return true
  const followUps = body['followUps'] as { state: string }[]
  // What waits for an agent that has ended leaves with its time, not before.
  return AT_REST.has(String(body['phase'])) && followUps.length === 0
}

export async function readTimelines(api: Api, paths: readonly string[]): Promise<AgentTimeline[]> {
  const found: AgentTimeline[] = []
  for (const path of paths) {
    const { status, body } = await api.insist('/v1/agent/status', { agentId: agentId(path) })
    if (status === 404) continue
    found.push({ path, phase: String(body['phase']), events: await readTimeline(api, path) })
  }
  return found
}

async function readTimeline(api: Api, path: string): Promise<TimelineEvent[]> {
  const events: TimelineEvent[] = []
  for (;;) {
    const { body } = await api.insist('/v1/agent/timeline', {
      agentId: agentId(path),
      afterSequence: events.at(-1)?.sequence ?? '0',
    })
    events.push(...(body['events'] as TimelineEvent[]))
    if ((events.at(-1)?.sequence ?? '0') === body['lastSequence']) return events
  }
}
