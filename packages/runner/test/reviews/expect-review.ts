import type { AgentId } from '@skein/contract'
import { expect } from 'vitest'
import type { RunnerWorld } from '../e2e/runner-world.ts'

/** A review goes through a real quiet window. */
export const PATIENCE_MS = 120_000

/** The messages of the review loop. */
export async function reviewsOf(runners: RunnerWorld, agentId: AgentId) {
  const queued = await runners.events(agentId, 'follow-up.queued')
  return queued.map(({ followUp }) => followUp).filter(({ followUpId }) => followUpId.startsWith('review:'))
}

async function recordOf(runners: RunnerWorld, number: number): Promise<Record<string, unknown>> {
  const { body } = await runners.admin.get('/v1/catalog/pull-request')
  const entries = body['entries'] as { name: string }[]
  const name = entries.find((entry) => entry.name.startsWith(`shop-${number}-`))?.name ?? ''
  return (await runners.admin.get(`/v1/catalog/pull-request/${name}`)).document
}

/**
 * Five threads reach the agent in one message with five tasks, which are gone when it rests, and all are answered. Returns
 * their names.
 */
export async function expectFiveThreads(
  runners: RunnerWorld,
  agentId: AgentId,
  number: number,
): Promise<string[]> {
  const reviews = () => reviewsOf(runners, agentId)
  await runners.waitUntil('the review', async () => (await reviews()).length > 0, PATIENCE_MS)
  const threads = async () =>
    (await recordOf(runners, number))['threads'] as { thread: string; state: string }[]
  await runners.waitUntil(
    'five answers',
    async () => {
      const all = await threads()
      return all.length === 5 && all.every(({ state }) => state === 'posted')
    },
    PATIENCE_MS,
  )
  expect(await reviews()).toHaveLength(1)
  const names = (await threads()).map(({ thread }) => thread)
  const created = (await runners.events(agentId, 'task.created')).map(({ task }) => task)
  expect(created.map(({ dedupKey }) => dedupKey).toSorted()).toEqual(names.toSorted())
  expect(created.every(({ ephemeral }) => ephemeral)).toBe(true)
  const removed = (await runners.events(agentId, 'task.removed')).map(({ taskId }) => taskId)
  expect(removed.toSorted()).toEqual(created.map(({ id }) => id).toSorted())
  expect((await runners.status(agentId)).tasks).toEqual([])
  return names
}

export async function expectCompleted(runners: RunnerWorld, agentId: AgentId, number: number): Promise<void> {
  await runners.waitUntil(
    'the end',
    async () => (await runners.status(agentId)).phase === 'PHASE_COMPLETED',
    PATIENCE_MS,
  )
  expect(await recordOf(runners, number)).toMatchObject({ state: 'merged', rounds: 1, reviewProblem: '' })
  expect(await reviewsOf(runners, agentId)).toHaveLength(2)
}

/** Where any of these is, of all that the model was sent, timelines and logs. */
export async function findSecrets(
  runners: RunnerWorld,
  logs: readonly string[],
  agents: readonly string[],
  secrets: readonly string[],
): Promise<string[]> {
  const sent = runners.simulator.requests.map(({ body, headers }) => JSON.stringify([body, headers]))
  expect(sent.some((text) => text.includes('Why line 3?'))).toBe(true)
  const places = [...sent, ...runners.server.logLines, ...logs]
  for (const agent of agents) {
    const asked = { agentId: { workspace: 'shop', agent: [agent] }, pageSize: 1000 }
    places.push(JSON.stringify((await runners.admin.post('/v1/agent/timeline', asked)).body))
  }
  return places
    .filter((text) => secrets.some((secret) => text.includes(secret)))
    .map((text) => text.slice(0, 500))
}
