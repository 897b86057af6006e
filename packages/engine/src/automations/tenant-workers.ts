/** What a server is doing for tenants: so much in all, and of one tenant no more than leaves room for others. */
export class TenantWorkers {
  readonly #tenants = new Map<Promise<void>, string>()
  readonly #most: number
  readonly #mostOfTenant: number

  constructor(most: number, mostOfTenant: number) {
    this.#most = most
    this.#mostOfTenant = mostOfTenant
  }

  /** How many more can be added. */
  get room(): number {
    return this.#most - this.#tenants.size
  }

  /** Tenants that have as much as they may. */
  get busyTenants(): string[] {
    const counts = new Map<string, number>()
    for (const tenantId of this.#tenants.values()) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
    return [...counts].flatMap(([tenantId, amount]) => (amount < this.#mostOfTenant ? [] : [tenantId]))
  }

  get isIdle(): boolean {
    return this.#tenants.size === 0
  }

  /** The work must not reject. */
  add(tenantId: string, work: Promise<void>, onEnd: () => void = () => undefined): void {
    const worker: Promise<void> = work.finally(() => {
      this.#tenants.delete(worker)
      onEnd()
    })
    this.#tenants.set(worker, tenantId)
  }

  async allDone(): Promise<void> {
    await Promise.all(this.#tenants.keys())
  }
}
