import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEntry, TimelineEvent } from '@skein/contract'
import { agentKey, parentIdentity, type AgentState } from '@skein/core'
import { AgentReader, type AgentFilter } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { agentTopic, tenantTopic } from '../wakeups.ts'
import { toEntry } from './describe-agent.ts'
import type { AgentTarget } from './find-identity.ts'
import { findAgent, isListed, readTimeline, type ListedTenant } from './read-agent.ts'

const BATCH = 500

/** Several changes come as one. */
const LOOK_EVERY_MS = 200

/** The timeline from a place on, and whatever is added to it. The table is the stream: nothing is buffered. */
export async function watchAgent(
  engine: EngineResources,
  target: AgentTarget,
  from: { after: bigint; signal: AbortSignal },
): Promise<AsyncGenerator<TimelineEvent>> {
  const { id } = await findAgent(engine, target)
  return followTimeline(engine, target, id, from)
}

async function* followTimeline(
  engine: EngineResources,
  target: AgentTarget,
  id: string,
  { after, signal }: { after: bigint; signal: AbortSignal },
): AsyncGenerator<TimelineEvent> {
  let position = after
  const waiter = engine.wakeups.waiter([agentTopic(id)], { signal })
  try {
    while (!signal.aborted) {
      const { events } = await readTimeline(engine, target, { after: position, limit: BATCH })
      for (const event of events) {
        yield event
        position = BigInt(event.sequence)
      }
      if (events.length < BATCH) await waiter.next()
    }
  } finally {
    waiter.close()
  }
}

/** Each entry of a list as it is now, and again whenever it changes. An entry that leaves the list is shown once more. */
export async function* watchAgents(
  engine: EngineResources,
  { tenantId, tenant }: ListedTenant,
  filter: Omit<AgentFilter, 'before'>,
  signal: AbortSignal,
): AsyncGenerator<AgentEntry> {
  const shown = new Map<string, bigint>()
  const waiter = engine.wakeups.waiter([tenantTopic(tenantId)], { signal })
  try {
    while (!signal.aborted) {
      const rested = pause(LOOK_EVERY_MS, undefined, { signal })
      // Awaited below; until then a hang-up is not its to report.
      rested.catch(() => undefined)
      const listed = await engine.sharedLists.read(JSON.stringify([tenantId, filter]), () =>
        engine.database.forTenant(tenantId, (session) =>
          new AgentReader(session).list({ ...filter, before: undefined }, 1000),
        ),
      )
      const present = new Set(listed.map(({ id }) => id))
      const gone = [...shown.keys()].filter((id) => !present.has(id))
      for (const agent of [...listed, ...(await findGone(engine, tenantId, gone))]) {
        if (shown.get(agent.id) === agent.sequence) continue
        if (isStillListed(agent)) shown.set(agent.id, agent.sequence)
        else shown.delete(agent.id)
        yield toEntry(agent, { tenant, publicUrl: engine.publicUrl })
      }
      await waiter.next()
      await rested
    }
  } finally {
    waiter.close()
  }

  function isStillListed(agent: AgentState): boolean {
    const above = parentIdentity(agent.identity)
    return isListed(agent, filter, above ? agentKey(above) : '')
  }
}

async function findGone(
  { database }: EngineResources,
  tenantId: string,
  ids: readonly string[],
): Promise<AgentState[]> {
  if (ids.length === 0) return []
  return database.forTenant(tenantId, (session) => new AgentReader(session).findAll(ids))
}
