import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEntry, TimelineEvent } from '@skein/contract'
import { agentKey, parentIdentity, type AgentState, type ListedAgent } from '@skein/core'
import { AgentReader, FleetFeed, type AgentFilter, type ReadPosition } from '@skein/store'
import { LRUCache } from 'lru-cache'
import type { EngineResources } from '../resources.ts'
import { agentTopic, tenantTopic } from '../wakeups.ts'
import { ChangeFollower } from './change-follower.ts'
import { readDescribing, toEntry, type ListedTenant } from './describe-agent.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import { readCursor } from './fleet-cursor.ts'
import { findAgent, isListed, readTimeline, requireSeenOnly } from './read-agent.ts'

const BATCH = 500

/** Beyond this, the entries shown longest ago are forgotten, and their leaving is not reported. */
const MAX_SHOWN = 10_000

/** Batches several changes into one. */
const LOOK_EVERY_MS = 200

interface WatchFrom {
  readonly after: bigint
  readonly position: ReadPosition
  readonly signal: AbortSignal
}

/** The timeline from a position on, followed by new events. They are read from the table: nothing is buffered. */
export async function watchAgent(
  engine: EngineResources,
  target: AgentTarget,
  from: WatchFrom,
): Promise<AsyncGenerator<TimelineEvent>> {
  const { id, sequence } = await findAgent(engine, target)
  // While a normal response is still possible: a stream that breaks is opened again and again.
  if (engine.segments.isUsable && from.after < sequence)
    await readTimeline(engine, target, { after: from.after, limit: 1 }, from.position)
  return followTimeline(engine, target, id, from)
}

async function* followTimeline(
  engine: EngineResources,
  target: AgentTarget,
  id: string,
  { after, position: wanted, signal }: WatchFrom,
): AsyncGenerator<TimelineEvent> {
  let position = after
  let seen = wanted
  const waiter = engine.wakeups.waiter([agentTopic(id)], { signal })
  try {
    while (!signal.aborted) {
      const place = { after: position, limit: BATCH }
      // Watchers at the same position of the same agent share one read.
      const key = JSON.stringify([target, String(position), seen])
      const { events } = await engine.sharedTimelines.read(key, () =>
        readTimeline(engine, target, place, seen),
      )
      for (const event of events) {
        yield event
        position = BigInt(event.sequence)
      }
      if (events.length === BATCH) continue
      // From now on there are only new events.
      seen = 'latest'
      await waiter.next()
    }
  } finally {
    waiter.close()
  }
}

/** Every entry of a list, and again whenever it changes. An entry that leaves the list is shown once more. */
export async function* watchAgents(
  engine: EngineResources,
  { tenantId, tenant }: ListedTenant,
  filter: Omit<AgentFilter, 'before'>,
  signal: AbortSignal,
): AsyncGenerator<AgentEntry> {
  const shown = new LRUCache<string, bigint>({ max: MAX_SHOWN })
  const waiter = engine.wakeups.waiter([tenantTopic(tenantId)], { signal })
  const show = async (agent: ListedAgent, isOnList: boolean): Promise<AgentEntry> => {
    if (isOnList) shown.set(agent.id, agent.sequence)
    else shown.delete(agent.id)
    return toEntry(agent, await readDescribing(engine, { tenantId, tenant }, [agent]))
  }
  try {
    // Taken before reading the list: a change in between is at worst shown twice.
    const position = await engine.database.forTenant(tenantId, (transaction) =>
      readCursor(new FleetFeed(transaction), { cell: engine.cell, cursor: '', now: engine.clock.now() }),
    )
    const changes = new ChangeFollower(engine, tenantId, { position, signal })
    const listed = await readList(engine, tenantId, filter)
    requireSeenOnly(listed, filter.workspaces)
    for (const agent of listed) yield await show(agent, true)
    while (!signal.aborted) {
      const rested = pause(LOOK_EVERY_MS, undefined, { signal })
      // Awaited below. Without this, a disconnect in the meantime would be an unhandled rejection.
      rested.catch(() => undefined)
      for await (const agent of changes.look()) {
        const sequence = shown.get(agent.id)
        if (sequence === agent.sequence) continue
        const isOnList = isStillListed(agent)
        if (sequence !== undefined || isOnList) yield await show(agent, isOnList)
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

/** Shared by all who start watching the same list at the same time. */
function readList(
  { database, sharedLists }: EngineResources,
  tenantId: string,
  filter: Omit<AgentFilter, 'before'>,
): Promise<ListedAgent[]> {
  return sharedLists.read(JSON.stringify([tenantId, filter]), () =>
    database.forTenant(tenantId, (transaction) =>
      new AgentReader(transaction).list({ ...filter, before: undefined }, 1000),
    ),
  )
}
