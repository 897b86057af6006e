import { setTimeout as pause } from 'node:timers/promises'
import {
  SkeinApiError,
  SkeinClientError,
  type Agent,
  type FleetEntry,
  type Skein,
  type TimelineEvent,
} from '@skein/client'
import { keyOf } from '../agent-tree.ts'
import { UsageError } from '../command-line/usage-error.ts'

/** Of each live agent, one request finds where its timeline ends. */
const MAX_LIVE = 1_000
const AT_ONCE = 8
const PAGE = 1_000
/** A server that restarts, or a laptop that sleeps. */
const RECONNECT_FOR_MS = 60 * 60 * 1000
const RETRY_MS = 1_000

interface FeedFilter {
  readonly account?: string | undefined
  readonly workspace?: string | undefined
}

/**
 * The events of all agents that the caller sees, from now on: in order for each agent, none missing and none twice,
 * however often the connection is lost. The fleet says whose timeline has grown; the timeline is read from where it was.
 */
export class EventFeed {
  readonly #skein: Skein
  readonly #filter: FeedFilter
  readonly #signal: AbortSignal
  /** The last event of each agent that was given or is older than this feed. */
  readonly #seen = new Map<string, string>()
  /** When the newest agent was spawned. A later spawn is news. */
  #newestSpawn = ''
  #cursor = ''
  #workedAt = performance.now()

  constructor(skein: Skein, filter: FeedFilter, signal: AbortSignal) {
    this.#skein = skein
    this.#filter = filter
    this.#signal = signal
  }

  /** Finds where timelines end now. What happens after this is given. */
  async begin(): Promise<void> {
    const newest = await this.#skein.listFleet({
      ...this.#filter,
      includeTerminal: true,
      pageSize: 1,
      signal: this.#signal,
    })
    this.#cursor = newest.cursor
    this.#newestSpawn = newest.entries[0]?.createTime ?? ''
    const live = (await this.#live()).filter((entry) => !this.#isNew(entry))
    for (let from = 0; from < live.length; from += AT_ONCE) {
      await Promise.all(
        live.slice(from, from + AT_ONCE).map(async ({ agentId }) => {
          const { lastSequence } = await this.#agent(agentId).readTimeline({
            pageSize: 1,
            signal: this.#signal,
          })
          this.#seen.set(keyOf(agentId), lastSequence)
        }),
      )
    }
  }

  async *events(): AsyncGenerator<TimelineEvent, void> {
    while (!this.#signal.aborted) {
      try {
        yield* this.#follow()
      } catch (error) {
        if (this.#signal.aborted) return
        if (isCursorExpired(error)) yield* this.#catchUp()
        else await this.#retryAfter(error)
      }
    }
  }

  async *#follow(): AsyncGenerator<TimelineEvent, void> {
    const filter = { ...this.#filter, includeTerminal: true }
    const options = { after: this.#cursor, signal: this.#signal, reconnectForMs: RECONNECT_FOR_MS }
    for await (const { entry, cursor } of this.#skein.watchFleet(filter, options)) {
      yield* this.#news(entry)
      // Only now: if reading the timeline failed, the change is told again.
      this.#cursor = cursor
      this.#workedAt = performance.now()
    }
  }

  /** The position was forgotten, after about a day without a connection. */
  async *#catchUp(): AsyncGenerator<TimelineEvent, void> {
    const { cursor } = await this.#skein.listFleet({ ...this.#filter, pageSize: 1, signal: this.#signal })
    const all = this.#skein.fleet({ ...this.#filter, includeTerminal: true, signal: this.#signal })
    for await (const entry of all) {
      if (this.#seen.has(keyOf(entry.agentId)) || this.#isNew(entry)) yield* this.#news(entry)
    }
    this.#cursor = cursor
  }

  async *#news(entry: FleetEntry): AsyncGenerator<TimelineEvent, void> {
    const key = keyOf(entry.agentId)
    const agent = this.#agent(entry.agentId)
    try {
      const after = this.#seen.get(key) ?? (await this.#beforeSpawn(agent))
      this.#seen.set(key, after)
      for await (const event of agent.timeline({ after, signal: this.#signal })) {
        yield event
        this.#seen.set(key, event.sequence)
      }
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof SkeinApiError && error.reason === 'AGENT_NOT_FOUND')) throw error
    }
  }

  /**
   * An agent that did not live when this feed began has been spawned since. Returns the position before the first such
   * spawn, or the end if there is none: what a runner still reports of an ended agent is not news.
   */
  async #beforeSpawn(agent: Agent): Promise<string> {
    const signal = this.#signal
    const { lastSequence } = await agent.readTimeline({ pageSize: 1, signal })
    let position = lastSequence
    for (let end = BigInt(lastSequence); end > 0n; end -= BigInt(PAGE)) {
      const after = String(end > BigInt(PAGE) ? end - BigInt(PAGE) : 0n)
      const { events } = await agent.readTimeline({ after, pageSize: PAGE, signal })
      for (const { type, time, sequence } of events.toReversed()) {
        if (time <= this.#newestSpawn) return position
        if (type === 'agent.spawned') position = String(BigInt(sequence) - 1n)
      }
    }
    return position
  }

  async #live(): Promise<FleetEntry[]> {
    const live: FleetEntry[] = []
    for await (const entry of this.#skein.fleet({ ...this.#filter, signal: this.#signal })) {
      live.push(entry)
      if (live.length > MAX_LIVE) {
        throw new UsageError(
          `More than ${MAX_LIVE} agents are alive.`,
          'Listen to fewer of them with --workspace or --account.',
        )
      }
    }
    return live
  }

  #isNew({ createTime }: FleetEntry): boolean {
    return createTime > this.#newestSpawn
  }

  #agent(agentId: FleetEntry['agentId']): Agent {
    return this.#skein.agent(agentId)
  }

  async #retryAfter(failure: unknown): Promise<void> {
    const isHopeless = performance.now() - this.#workedAt > RECONNECT_FOR_MS
    if (!(failure instanceof SkeinClientError) || !failure.isRetryable || isHopeless) throw failure
    await pause(RETRY_MS, undefined, { signal: this.#signal }).catch(() => undefined)
  }
}

function isCursorExpired(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'PAGE_TOKEN_INVALID'
}
