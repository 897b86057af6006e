import { setTimeout as pause } from 'node:timers/promises'
import type { FleetChange } from '@skein/contract'
import type { AgentState } from '@skein/core'
import { AgentReader, FleetFeed, type FeedPosition, type FleetFilter } from '@skein/store'
import { LRUCache } from 'lru-cache'
import type { EngineResources } from '../resources.ts'
import { tenantTopic } from '../wakeups.ts'
import { belongsTo, matchesNow, toFleetEntry } from './describe-fleet.ts'
import { formatCursor, readCursor } from './fleet-cursor.ts'
import type { ListedTenant } from './read-agent.ts'

const BATCH = 500

/** Five looks a second: what changes in between comes as one. */
const LOOK_EVERY_MS = 200

/** While so much waits behind an old transaction, it is read over and over: not that often then. */
const MANY_UNSETTLED = 1_000
const LOOK_SLOWLY_MS = 2_000

/** As often as a stream is kept alive: one that tells nothing would come back with a cursor of long ago. */
const TELL_POSITION_EVERY_MS = 15_000

/** Of those that left longest ago it is forgotten that this was said, and at worst it is said again. */
const MAX_GONE = 10_000

interface FleetWatch {
  readonly filter: FleetFilter
  /** A cursor; empty for from now on. */
  readonly after: string
  readonly signal: AbortSignal
}

/** How far a watch has come that had nothing to tell. */
export interface FleetPosition {
  readonly cursor: string
}

export function isFleetChange(told: FleetChange | FleetPosition): told is FleetChange {
  return 'entry' in told
}

/** The newest state of each agent that changes. The outbox is the stream: nothing is buffered. */
export async function watchFleet(
  engine: EngineResources,
  listed: ListedTenant,
  watch: FleetWatch,
): Promise<AsyncGenerator<FleetChange | FleetPosition>> {
  const now = engine.clock.now()
  const position = await engine.database.forTenant(listed.tenantId, (session) =>
    readCursor(new FleetFeed(session), watch.after, now),
  )
  return new FleetFollower(engine, listed, watch, position).follow()
}

/** What one look found: an agent as it is now, and up to where everything is told once this is. */
interface Found {
  readonly agent: AgentState
  readonly position: FeedPosition
}

/**
 * Tells at once whatever is committed, but goes on only from where nothing can be committed any more: what lies
 * beyond is read again at the next look, and left out if it was told already.
 */
class FleetFollower {
  readonly #engine: EngineResources
  readonly #listed: ListedTenant
  readonly #watch: FleetWatch
  #position: FeedPosition
  /** Agents that changed beyond the horizon, with the sequence that was told. */
  #unsettled = new Map<string, bigint>()
  /** Agents that were told to have left: that is said once. */
  readonly #gone = new LRUCache<string, true>({ max: MAX_GONE })
  #toldAt: number

  constructor(engine: EngineResources, listed: ListedTenant, watch: FleetWatch, position: FeedPosition) {
    this.#engine = engine
    this.#listed = listed
    this.#watch = watch
    this.#position = position
    this.#toldAt = engine.clock.now()
  }

  async *follow(): AsyncGenerator<FleetChange | FleetPosition> {
    const { signal } = this.#watch
    const waiter = this.#engine.wakeups.waiter([tenantTopic(this.#listed.tenantId)], { signal })
    try {
      while (!signal.aborted) {
        const isSlow = this.#unsettled.size > MANY_UNSETTLED
        const rested = pause(isSlow ? LOOK_SLOWLY_MS : LOOK_EVERY_MS, undefined, { signal })
        // Awaited below; until then a hang-up is not its to report.
        rested.catch(() => undefined)
        yield* this.#look()
        yield* this.#tellPosition()
        await waiter.next()
        await rested
      }
    } finally {
      waiter.close()
    }
  }

  async *#look(): AsyncGenerator<FleetChange> {
    const at = this.#engine.clock.now()
    const { signal } = this.#watch
    const unsettled = new Map<string, bigint>()
    const told = new Map(this.#unsettled)
    let horizon: bigint | undefined
    let reached = this.#position
    for (let isMore = true; isMore;) {
      const batch = await this.#read(reached)
      if (signal.aborted) return
      // The first batch's: a transaction that ends during a later one may have written before where that began.
      horizon ??= batch.settled
      for (const { agent, position } of batch.found) {
        if (position.xid < horizon) this.#position = position
        else unsettled.set(agent.id, agent.sequence)
        if (told.get(agent.id) === agent.sequence) continue
        told.set(agent.id, agent.sequence)
        yield* this.#tell(agent, at)
        if (signal.aborted) return
      }
      reached = batch.reached
      isMore = batch.isMore
    }
    if (horizon !== undefined && horizon > this.#position.xid) this.#position = { xid: horizon, id: 0n }
    this.#unsettled = unsettled
  }

  /** Each agent once, where it first changed: whatever came before that is told by then. */
  #read(from: FeedPosition) {
    return this.#engine.database.forTenant(this.#listed.tenantId, async (session) => {
      const { settled, rows } = await new FleetFeed(session).after(from, BATCH)
      const firsts = new Map<string, FeedPosition>()
      for (const { agentId, xid, id } of rows) if (!firsts.has(agentId)) firsts.set(agentId, { xid, id })
      const agents = firsts.size > 0 ? await new AgentReader(session).findAll([...firsts.keys()]) : []
      const byId = new Map(agents.map((agent) => [agent.id, agent]))
      const found = [...firsts].flatMap(([id, position]): Found[] => {
        const agent = byId.get(id)
        return agent ? [{ agent, position }] : []
      })
      return { settled, found, reached: rows.at(-1) ?? from, isMore: rows.length === BATCH }
    })
  }

  *#tell(agent: AgentState, at: number): Generator<FleetChange> {
    const { filter } = this.#watch
    if (!belongsTo(agent, filter)) return
    const isListed = matchesNow(agent, filter)
    if (isListed) this.#gone.delete(agent.id)
    else if (this.#gone.has(agent.id)) return
    else this.#gone.set(agent.id, true)
    this.#toldAt = at
    const { tenant } = this.#listed
    yield {
      entry: toFleetEntry(agent, { tenant, publicUrl: this.#engine.publicUrl }),
      isListed,
      cursor: formatCursor(this.#position, at),
    }
  }

  *#tellPosition(): Generator<FleetPosition> {
    const now = this.#engine.clock.now()
    if (now - this.#toldAt < TELL_POSITION_EVERY_MS || this.#watch.signal.aborted) return
    this.#toldAt = now
    yield { cursor: formatCursor(this.#position, now) }
  }
}
