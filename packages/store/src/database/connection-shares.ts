/** Who asks for a connection: a tenant, or '' for the service itself. */
export interface Asker {
  readonly tenant: string
  /** Must get through however busy the rest is: heartbeats, completions, readiness. */
  readonly isUrgent: boolean
}

/** A part of the connections, and how many of it each tenant holds. */
class Part {
  readonly size: number
  readonly #held = new Map<string, number>()
  #taken = 0

  constructor(size: number) {
    this.size = size
  }

  heldBy(tenant: string): number {
    return this.#held.get(tenant) ?? 0
  }

  get taken(): number {
    return this.#taken
  }

  /**
   * No tenant holds more than twice what is free. Alone, a tenant gets two thirds; the more tenants share, the less
   * each gets; and something is always left for the next one. (In network switches, this is known as a dynamic
   * threshold.)
   */
  hasRoomFor(tenant: string): boolean {
    return this.heldBy(tenant) < 2 * (this.size - this.#taken)
  }

  take(tenant: string): void {
    this.#taken += 1
    this.#held.set(tenant, this.heldBy(tenant) + 1)
  }

  giveBack(tenant: string): void {
    this.#taken -= 1
    const left = this.heldBy(tenant) - 1
    if (left > 0) this.#held.set(tenant, left)
    else this.#held.delete(tenant)
  }
}

/** With fewer connections, none are reserved. */
const FEWEST_TO_RESERVE_FROM = 4

export type Share = Part

/**
 * Divides a server's connections among tenants. A fifth is reserved for urgent requests, which may also use the
 * rest. Decides who may take one now, and who is next.
 */
export class ConnectionShares {
  readonly #common: Part
  readonly #reserve: Part

  constructor(total: number) {
    const reserved = total < FEWEST_TO_RESERVE_FROM ? 0 : Math.max(1, Math.floor(total / 5))
    this.#common = new Part(total - reserved)
    this.#reserve = new Part(reserved)
  }

  /** How much of each part is taken. */
  get usage(): { readonly share: 'common' | 'reserved'; readonly size: number; readonly taken: number }[] {
    return [
      { share: 'common', size: this.#common.size, taken: this.#common.taken },
      { share: 'reserved', size: this.#reserve.size, taken: this.#reserve.taken },
    ]
  }

  /** The part it was taken from; undefined if the asker must wait. */
  take({ tenant, isUrgent }: Asker): Share | undefined {
    const parts = isUrgent ? [this.#common, this.#reserve] : [this.#common]
    const part = parts.find((candidate) => candidate.hasRoomFor(tenant))
    part?.take(tenant)
    return part
  }

  /**
   * Chooses among the waiting, given longest-waiting first. Urgent requests come first, then the tenant that holds the
   * fewest.
   */
  next<Waiting extends Asker>(waiting: Iterable<Waiting>): Waiting | undefined {
    let best: Waiting | undefined
    for (const asker of waiting) {
      if (this.#couldTake(asker) && (best === undefined || this.#isBefore(asker, best))) best = asker
    }
    return best
  }

  #couldTake({ tenant, isUrgent }: Asker): boolean {
    return this.#common.hasRoomFor(tenant) || (isUrgent && this.#reserve.hasRoomFor(tenant))
  }

  #isBefore(one: Asker, other: Asker): boolean {
    if (one.isUrgent !== other.isUrgent) return one.isUrgent
    return this.#heldBy(one) < this.#heldBy(other)
  }

  #heldBy({ tenant }: Asker): number {
    return this.#common.heldBy(tenant) + this.#reserve.heldBy(tenant)
  }
}
