const WINDOW_MS = 500

interface Costs {
  total: number
  answers: number
  ofAnswers: number
}

/** What each tenant's requests cost in this window and the one before. A tenant idle for both no longer counts. */
export class RecentCosts {
  #current = new Map<string, Costs>()
  #previous = new Map<string, Costs>()
  #total = 0
  #tenants = 0
  #endsAt = 0

  add(tenant: string, cost: number): void {
    this.#entry(tenant).total += cost
    this.#total += cost
  }

  addAnswer(tenant: string, cost: number): void {
    this.add(tenant, cost)
    const costs = this.#entry(tenant)
    costs.answers += 1
    costs.ofAnswers += cost
  }

  /** How many count. */
  get tenants(): number {
    this.#advance()
    return this.#tenants
  }

  isAboveShare(tenant: string): boolean {
    this.#advance()
    return this.#tenants > 1 && this.#sum(tenant, 'total') > this.#total / this.#tenants
  }

  /** On average. Undefined while none is known. */
  answerCost(tenant: string): number | undefined {
    this.#advance()
    const answers = this.#sum(tenant, 'answers')
    return answers === 0 ? undefined : this.#sum(tenant, 'ofAnswers') / answers
  }

  #sum(tenant: string, part: keyof Costs): number {
    return (this.#current.get(tenant)?.[part] ?? 0) + (this.#previous.get(tenant)?.[part] ?? 0)
  }

  #entry(tenant: string): Costs {
    this.#advance()
    const known = this.#current.get(tenant)
    if (known) return known
    if (!this.#previous.has(tenant)) this.#tenants += 1
    const costs = { total: 0, answers: 0, ofAnswers: 0 }
    this.#current.set(tenant, costs)
    return costs
  }

  #advance(): void {
    const now = performance.now()
    if (now < this.#endsAt) return
    const wasIdle = now >= this.#endsAt + WINDOW_MS
    this.#previous = wasIdle ? new Map<string, Costs>() : this.#current
    this.#current = new Map()
    this.#endsAt = now + WINDOW_MS
    this.#tenants = this.#previous.size
    this.#total = [...this.#previous.values()].reduce((sum, { total }) => sum + total, 0)
  }
}
