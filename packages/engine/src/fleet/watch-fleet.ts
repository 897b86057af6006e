import { setTimeout as pause } from 'node:timers/promises'
import type { FleetChange } from '@skein/contract'
import type { AgentState } from '@skein/core'
import { findArrivedAt, FleetFeed, type FeedPosition, type FleetFilter } from '@skein/store'
import { LRUCache } from 'lru-cache'
import type { EngineResources } from '../resources.ts'
import { tenantTopic } from '../wakeups.ts'
import { ChangeFollower } from '../agents/change-follower.ts'
import { readDescribing, type ListedTenant } from '../agents/describe-agent.ts'
import { belongsTo, matchesNow, toFleetEntry } from './describe-fleet.ts'
import { formatCursor, readCursor } from '../agents/fleet-cursor.ts'

/** Five times a second. Changes in between are combined. */
const LOOK_EVERY_MS = 200

/** While this many changes wait behind an old transaction, they are read again each time, so poll less often. */
const MANY_UNSETTLED = 1_000
const LOOK_SLOWLY_MS = 2_000

/** As often as keep-alives. Otherwise a quiet stream would reconnect with a stale cursor. */
const TELL_POSITION_EVERY_MS = 15_000

/** Beyond this, the agents that left longest ago are forgotten, and at worst reported again. */
const MAX_GONE = 10_000

interface FleetWatch {
  readonly filter: FleetFilter
  /** A cursor; empty means from now on. */
  readonly after: string
  readonly signal: AbortSignal
}

/** The position of a watch that had nothing to report. */
export interface FleetPosition {
  readonly cursor: string
}

export function isFleetChange(told: FleetChange | FleetPosition): told is FleetChange {
  return 'entry' in told
}

/** The newest state of each agent that changes. It is read from the outbox: nothing is buffered. */
export async function watchFleet(
  engine: EngineResources,
  listed: ListedTenant,
  watch: FleetWatch,
): Promise<AsyncGenerator<FleetChange | FleetPosition>> {
  const now = engine.clock.now()
  const { cell } = engine
  const position = await engine.database.forTenant(listed.tenantId, async (transaction) => {
    const arrivedAt = await findArrivedAt(transaction)
    return readCursor(new FleetFeed(transaction), { cell, cursor: watch.after, now, arrivedAt })
  })
  return new FleetFollower(engine, listed, watch, position).follow()
}

class FleetFollower {
  readonly #engine: EngineResources
  readonly #listed: ListedTenant
  readonly #watch: FleetWatch
  readonly #changes: ChangeFollower
  /** Agents already reported as gone, which happens once. */
  readonly #gone = new LRUCache<string, true>({ max: MAX_GONE })
  #toldAt: number

  constructor(engine: EngineResources, listed: ListedTenant, watch: FleetWatch, position: FeedPosition) {
    this.#engine = engine
    this.#listed = listed
    this.#watch = watch
    this.#changes = new ChangeFollower(engine, listed.tenantId, { position, signal: watch.signal })
    this.#toldAt = engine.clock.now()
  }

  async *follow(): AsyncGenerator<FleetChange | FleetPosition> {
    const { signal } = this.#watch
    const waiter = this.#engine.wakeups.waiter([tenantTopic(this.#listed.tenantId)], { signal })
    try {
      while (!signal.aborted) {
        const isSlow = this.#changes.unsettled > MANY_UNSETTLED
        const rested = pause(isSlow ? LOOK_SLOWLY_MS : LOOK_EVERY_MS, undefined, { signal })
        // Awaited below. Without this, a disconnect in the meantime would be an unhandled rejection.
        rested.catch(() => undefined)
        const at = this.#engine.clock.now()
        for await (const agent of this.#changes.look()) yield* this.#tell(agent, at)
        yield* this.#tellPosition()
        await waiter.next()
        await rested
      }
    } finally {
      waiter.close()
    }
  }

  async *#tell(agent: AgentState, at: number): AsyncGenerator<FleetChange> {
    const { filter } = this.#watch
    if (!belongsTo(agent, filter)) return
    const isListed = matchesNow(agent, filter)
    if (isListed) this.#gone.delete(agent.id)
    else if (this.#gone.has(agent.id)) return
    else this.#gone.set(agent.id, true)
    this.#toldAt = at
    yield {
      entry: toFleetEntry(agent, await readDescribing(this.#engine, this.#listed, [agent])),
      isListed,
      cursor: formatCursor(this.#engine.cell, this.#changes.position, at),
    }
  }

  *#tellPosition(): Generator<FleetPosition> {
    const now = this.#engine.clock.now()
    if (now - this.#toldAt < TELL_POSITION_EVERY_MS || this.#watch.signal.aborted) return
    this.#toldAt = now
    yield { cursor: formatCursor(this.#engine.cell, this.#changes.position, now) }
  }
}
