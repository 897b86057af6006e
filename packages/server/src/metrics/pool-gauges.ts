import type { Database, PoolTotals } from '@skein/store'
import { readPoolTotals } from '@skein/store'
import { FRESH_MS, SharedTotals } from './shared-totals.ts'

const MOST_PER_POOL = 1_000

/** The label of all pools that the operator did not name. No pool can have this name. */
const OTHERS = '(other)'

/**
 * The work of all pools, for gauges. Only pools that the operator named have their own: any tenant can create pools,
 * and each would add a series that Prometheus keeps for weeks.
 */
export class PoolGauges {
  readonly #totals: SharedTotals<readonly PoolTotals[]>

  constructor(database: Database, named: readonly string[], onlineMs: number) {
    this.#totals = new SharedTotals(async () => {
      const totals = await database.urgent.statement((transaction) =>
        readPoolTotals(transaction, { named, freshMs: FRESH_MS, onlineMs, most: MOST_PER_POOL }),
      )
      return totals.map((each) => ({ ...each, pool: each.pool || OTHERS }))
    })
  }

  /** Empty if the database has not said for too long. Never fails. */
  async read(): Promise<readonly PoolTotals[]> {
    return (await this.#totals.read()) ?? []
  }
}
