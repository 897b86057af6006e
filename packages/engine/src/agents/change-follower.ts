import type { AgentState } from '@skein/core'
import type { FeedPosition } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/**
 * Delivers every committed change immediately, but advances only to where no more commits can appear. Changes beyond
 * that are read again the next time, and skipped if already delivered.
 */
export class ChangeFollower {
  readonly #feed: EngineResources['changeFeed']
  readonly #tenantId: string
  readonly #signal: AbortSignal
  #position: FeedPosition
  /** Agents with changes beyond the horizon, with the sequence that was delivered. */
  #unsettled = new Map<string, bigint>()

  constructor(
    { changeFeed }: EngineResources,
    tenantId: string,
    { position, signal }: { readonly position: FeedPosition; readonly signal: AbortSignal },
  ) {
    this.#feed = changeFeed
    this.#tenantId = tenantId
    this.#position = position
    this.#signal = signal
  }

  /** Everything up to here was delivered. */
  get position(): FeedPosition {
    return this.#position
  }

  /** Number of agents that are read again each time. */
  get unsettled(): number {
    return this.#unsettled.size
  }

  /** The newest state of each agent that changed since the last call. */
  async *look(): AsyncGenerator<AgentState> {
    const unsettled = new Map<string, bigint>()
    const told = new Map(this.#unsettled)
    let horizon: bigint | undefined
    let reached = this.#position
    for (let isMore = true; isMore;) {
      const batch = await this.#feed.after(this.#tenantId, reached)
      if (this.#signal.aborted) return
      // Use the first batch's horizon: a transaction that commits during a later batch may have written before its
      // start.
      horizon ??= batch.settled
      for (const { agent, position } of batch.found) {
        if (position.xid < horizon) this.#position = position
        else unsettled.set(agent.id, agent.sequence)
        if (told.get(agent.id) === agent.sequence) continue
        told.set(agent.id, agent.sequence)
        yield agent
        if (this.#signal.aborted) return
      }
      reached = batch.reached
      isMore = batch.isMore
    }
    if (horizon !== undefined && horizon > this.#position.xid) this.#position = { xid: horizon, id: 0n }
    this.#unsettled = unsettled
  }
}
