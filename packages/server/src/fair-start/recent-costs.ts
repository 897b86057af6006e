const WINDOW_MS = 500

/** What each tenant's requests cost in this window and the one before. A tenant idle for both no longer counts. */
export class RecentCosts {
  #current = new Map<string, number>()
  #previous = new Map<string, number>()
  #total = 0
  #tenants = 0
  #endsAt = 0

  add(tenant: string, cost: number): void {
    this.#advance()
    if (!this.#current.has(tenant) && !this.#previous.has(tenant)) this.#tenants += 1
    this.#current.set(tenant, (this.#current.get(tenant) ?? 0) + cost)
    this.#total += cost
  }

  isAboveShare(tenant: string): boolean {
    this.#advance()
    return this.#tenants > 1 && this.#costOf(tenant) > this.#total / this.#tenants
  }

  #costOf(tenant: string): number {
    return (this.#current.get(tenant) ?? 0) + (this.#previous.get(tenant) ?? 0)
  }

  #advance(): void {
    const now = performance.now()
    if (now < this.#endsAt) return
    const wasIdle = now >= this.#endsAt + WINDOW_MS
    this.#previous = wasIdle ? new Map<string, number>() : this.#current
    this.#current = new Map()
    this.#endsAt = now + WINDOW_MS
    this.#tenants = this.#previous.size
    this.#total = [...this.#previous.values()].reduce((sum, cost) => sum + cost, 0)
  }
}
