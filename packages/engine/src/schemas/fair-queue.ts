export interface QueueBounds {
  readonly perTenant: number
  readonly total: number
}

/** Pending work by tenant. Tenants take turns, so one that sends a lot only delays itself. */
export class FairQueue<Work> {
  readonly #bounds: QueueBounds
  /** Tenants in the order of their turns. */
  readonly #waiting = new Map<string, Work[]>()
  #size = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get isFull(): boolean {
    return this.#size >= this.#bounds.total
  }

  isFullFor(tenantId: string): boolean {
    return (this.#waiting.get(tenantId)?.length ?? 0) >= this.#bounds.perTenant
  }

  add(tenantId: string, work: Work): void {
    const own = this.#waiting.get(tenantId)
    if (own) own.push(work)
    else this.#waiting.set(tenantId, [work])
    this.#size += 1
  }

  takeNext(): Work | undefined {
    for (const [tenantId, own] of this.#waiting) {
      const next = own.shift()
      this.#waiting.delete(tenantId)
      if (own.length > 0) this.#waiting.set(tenantId, own)
      this.#size -= 1
      return next
    }
    return undefined
  }
}
