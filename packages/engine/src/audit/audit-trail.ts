import { AuditStore, type AuditRecord, type Database } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'

/** What is told once and then summed up, because it can happen at any rate. */
export interface Occurrence extends Omit<AuditRecord, 'id' | 'at' | 'times' | 'generation'> {
  readonly tenantId: string
  readonly at: number
}

/** Different ones of a tenant between two sums; what comes beyond is told as one. */
const MAX_SORTS = 100

interface Tally {
  readonly occurrence: Occurrence
  /** Since it was last told. */
  times: number
}

/**
 * The first of a sort is written at once, so that nobody has to wait to see it. Those that follow are counted, and the
 * sum is written when `flush` is called. However fast they come, a tenant gets few rows.
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

  /** Resolves once it is in the log, or is counted for it. */
  async note(occurrence: Occurrence): Promise<void> {
    const sorts = this.#tallies.get(occurrence.tenantId) ?? new Map<string, Tally>()
    this.#tallies.set(occurrence.tenantId, sorts)
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

  /** For whoever must not wait, nor be told apart by the time that it takes. */
  noteLater(occurrence: Occurrence): void {
    const written = this.note(occurrence).catch((error: unknown) => this.#onFailure(error))
    this.#writing.add(written)
    void written.finally(() => this.#writing.delete(written))
  }

  /** Writes the sums, and begins anew. */
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

/** Whoever uses up the sorts of a tenant still cannot act unseen. */
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
