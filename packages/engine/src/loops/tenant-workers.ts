/** What a server is doing for tenants: so much in all, and of one tenant no more than leaves room for others. */
export class TenantWorkers {
  readonly #tenants = new Map<Promise<void>, string>()
  readonly #most: number
  readonly #mostOfTenant: number
  readonly #mostAtOnce: number

  constructor(most: number, mostOfTenant: number, mostAtOnce = mostOfTenant) {
    this.#most = most
    this.#mostOfTenant = mostOfTenant
    this.#mostAtOnce = mostAtOnce
  }

  /** How many more can be added. */
  get room(): number {
    return this.#most - this.#tenants.size
  }

  /** How many to take at once. All may belong to one tenant, so it is less than there is room for. */
  get roomAtOnce(): number {
    return Math.min(this.room, this.#mostAtOnce)
  }

  /** Tenants that have as much as they may. */
  get busyTenants(): string[] {
    return [...new Set(this.#tenants.values())].filter((tenantId) => this.#isBusy(tenantId))
  }

  get isIdle(): boolean {
    return this.#tenants.size === 0
  }

  /** The work must not reject. Its end is told whether more of the tenant's may have been waiting for room. */
  add(tenantId: string, work: Promise<void>, onEnd: (wasFull: boolean) => void): void {
    const worker: Promise<void> = work.finally(() => {
      const wasFull = this.room <= 0 || this.#isBusy(tenantId)
      this.#tenants.delete(worker)
      onEnd(wasFull)
    })
    this.#tenants.set(worker, tenantId)
  }

  #isBusy(tenantId: string): boolean {
    let amount = 0
    for (const other of this.#tenants.values()) if (other === tenantId) amount += 1
    return amount >= this.#mostOfTenant
  }

  async allDone(): Promise<void> {
    await Promise.all(this.#tenants.keys())
  }
}
