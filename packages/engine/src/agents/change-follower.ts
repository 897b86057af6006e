import type { AgentState } from '@skein/core'
import type { FeedPosition } from '@skein/store'
import type { EngineResources } from '../resources.ts'

/**
 * Gives out at once whatever is committed, but goes on only from where nothing can be committed any more: what lies
 * beyond is read again at the next look, and left out if it was given out already.
 */
export class ChangeFollower {
  readonly #feed: EngineResources['changeFeed']
  readonly #tenantId: string
  readonly #signal: AbortSignal
  #position: FeedPosition
  /** Agents that changed beyond the horizon, with the sequence that was given out. */
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

  /** Everything up to here was given out. */
  get position(): FeedPosition {
    return this.#position
  }

  /** How many agents are read again at each look. */
  get unsettled(): number {
    return this.#unsettled.size
  }

  /** The newest state of each agent that changed since the last look. */
  async *look(): AsyncGenerator<AgentState> {
    const unsettled = new Map<string, bigint>()
    const told = new Map(this.#unsettled)
    let horizon: bigint | undefined
    let reached = this.#position
    for (let isMore = true; isMore;) {
      const batch = await this.#feed.after(this.#tenantId, reached)
      if (this.#signal.aborted) return
      // The first batch's: a transaction that ends during a later one may have written before where that began.
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
