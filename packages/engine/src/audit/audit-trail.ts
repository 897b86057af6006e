import { AuditStore, type AuditRecord, type Database } from '@skein/store'
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

/**
 * The first occurrence of each kind is written immediately, so that it shows up without delay. Repetitions are
 * counted, and `flush` writes the totals. However fast they come, a tenant gets few rows.
 */
export class AuditTrail {
  readonly #database: Database
  #tallies = new Map<string, Map<string, Tally>>()
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
    // By operation, so that a flood of one cannot hide who did the others.
    const { tenantId, operation } = occurrence
    const sorts = this.#tallies.get(`${tenantId} ${operation}`) ?? new Map<string, Tally>()
    this.#tallies.set(`${tenantId} ${operation}`, sorts)
    const sort = sortOf(occurrence)
    const told = sorts.size < MAX_SORTS || sorts.has(sort) ? occurrence : asOneOfMany(occurrence)
    const tally = sorts.get(sortOf(told))
    if (tally) {
      tally.times += 1
      return
    }
    sorts.set(sortOf(told), { occurrence: told, times: 0 })
    await this.#write(told, 1)
  }

  /** For callers that must not wait, or whose response time must not reveal anything. */
  noteLater(occurrence: Occurrence): void {
    const written = this.note(occurrence).catch((error: unknown) => this.#onFailure(error))
    this.#writing.add(written)
    void written.finally(() => this.#writing.delete(written))
  }

  /** Writes the totals and starts over. */
  async flush(at: number): Promise<void> {
    await Promise.all(this.#writing)
    const tallies = [...this.#tallies.values()].flatMap((sorts) => [...sorts.values()])
    this.#tallies = new Map()
    for (const { occurrence, times } of tallies) {
      if (times === 0) continue
      try {
        await this.#write({ ...occurrence, at }, times)
      } catch (error) {
        this.#onFailure(error)
      }
    }
  }

  async #write({ tenantId, ...occurrence }: Occurrence, times: number): Promise<void> {
    await this.#database.forTenant(tenantId, (transaction) =>
      new AuditStore(transaction).add({ ...occurrence, id: uuidV7(), generation: 0n, times: BigInt(times) }),
    )
  }
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
