import { SkeinError } from '@skein/contract'
import { AuditStore, findLeavingTenants, type AuditRecord, type Database } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'

/** An event that is recorded once and then counted, because it can happen at any rate. */
export interface Occurrence extends Omit<AuditRecord, 'id' | 'at' | 'times' | 'generation'> {
  readonly tenantId: string
  readonly at: number
}

/** Distinct occurrences per tenant and operation between two flushes. Any beyond that are recorded as one. */
const MAX_SORTS = 100

interface Tally {
  readonly occurrence: Occurrence
  /** Since it was last recorded. */
  times: number
}

/** Of one operation in one tenant, so that a flood of one cannot hide who did the others. */
interface Tallies {
  readonly tenantId: string
  readonly bySort: Map<string, Tally>
}

/**
 * The first occurrence of each kind is written immediately, so that it shows up without delay. Repetitions are
 * counted, and `flush` writes the totals. However fast they come, a tenant gets few rows.
 */
export class AuditTrail {
  readonly #database: Database
  readonly #tallies = new Map<string, Tallies>()
  readonly #writing = new Set<Promise<void>>()
  #onFailure: (error: unknown) => void = () => {}

  constructor(database: Database) {
    this.#database = database
  }

  reportFailures(onFailure: (error: unknown) => void): void {
    this.#onFailure = onFailure
  }

  /** Resolves once the occurrence is written or counted. */
  async note(occurrence: Occurrence): Promise<void> {
    const { tenantId, operation } = occurrence
    const key = `${tenantId} ${operation}`
    const tallies = this.#tallies.get(key) ?? { tenantId, bySort: new Map<string, Tally>() }
    this.#tallies.set(key, tallies)
    const { bySort } = tallies
    const sort = sortOf(occurrence)
    const told = bySort.size < MAX_SORTS || bySort.has(sort) ? occurrence : asOneOfMany(occurrence)
    const known = bySort.get(sortOf(told))
    if (known) {
      known.times += 1
      return
    }
    const tally = { occurrence: told, times: 1 }
    bySort.set(sortOf(told), tally)
    await this.#record(tally, told.at)
  }

  /** For callers that must not wait, or whose response time must not reveal anything. */
  noteLater(occurrence: Occurrence): void {
    const written = this.note(occurrence).catch((error: unknown) => this.#onFailure(error))
    this.#writing.add(written)
    void written.finally(() => this.#writing.delete(written))
  }

  /** Writes the totals and starts over. */
  async flush(at: number): Promise<void> {
    await this.#flush(at, () => true)
  }

  /** The same for tenants that are about to leave for another cell: soon, nothing of them can be written here. */
  async flushLeaving(at: number): Promise<void> {
    if (![...this.#tallies.values()].some(({ bySort }) => hasCounted(bySort))) return
    const leaving = new Set(await this.#database.statement(findLeavingTenants))
    if (leaving.size > 0) await this.#flush(at, (tenantId) => leaving.has(tenantId))
  }

  async #flush(at: number, isWanted: (tenantId: string) => boolean): Promise<void> {
    await Promise.all(this.#writing)
    const wanted = [...this.#tallies].filter(([, { tenantId }]) => isWanted(tenantId))
    for (const [key, tallies] of wanted) {
      await this.#recordAll(tallies, at)
      // Another flush may have ended before, and new ones begun.
      if (tallies.bySort.size === 0 && this.#tallies.get(key) === tallies) this.#tallies.delete(key)
    }
  }

  async #recordAll({ bySort }: Tallies, at: number): Promise<void> {
    // Not what begins meanwhile.
    const known = [...bySort]
    for (const [sort, tally] of known) {
      try {
        await this.#record(tally, at)
      } catch (error) {
        // If the move is cancelled, the totals can be written later.
        if (isMoving(error)) return
        this.#onFailure(error)
      }
      // More may have happened meanwhile.
      if (tally.times === 0) bySort.delete(sort)
    }
  }

  /** What is refused because the tenant moves stays counted. */
  async #record(tally: Tally, at: number): Promise<void> {
    const { occurrence, times } = tally
    if (times === 0) return
    tally.times = 0
    try {
      await this.#write({ ...occurrence, at }, times)
    } catch (error) {
      if (isMoving(error)) tally.times += times
      throw error
    }
  }

  async #write({ tenantId, ...occurrence }: Occurrence, times: number): Promise<void> {
    await this.#database.forTenant(tenantId, (transaction) =>
      new AuditStore(transaction).add({ ...occurrence, id: uuidV7(), generation: 0n, times: BigInt(times) }),
    )
  }
}

function hasCounted(bySort: ReadonlyMap<string, Tally>): boolean {
  return [...bySort.values()].some(({ times }) => times > 0)
}

function isMoving(error: unknown): boolean {
  return error instanceof SkeinError && error.reason === 'TENANT_MOVING'
}

function sortOf({ at: _at, requestId: _requestId, ...sort }: Occurrence): string {
  return JSON.stringify(sort)
}

/** Exceeding the number of kinds doesn't let anyone act unseen. */
function asOneOfMany(occurrence: Occurrence): Occurrence {
  return {
    ...occurrence,
    name: '*',
    account: '*',
    token: '*',
    address: '*',
    justification: '',
    detail: 'many',
  }
}
