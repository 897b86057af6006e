import { setTimeout as pause } from 'node:timers/promises'
import type { Database, PoolTotals } from '@skein/store'
import { readPoolTotals } from '@skein/store'

/** Counted at most this often, by one server for all. Shorter than the usual 15 seconds between two scrapes. */
const FRESH_MS = 10_000
/** A scrape doesn't wait longer: an unavailable database must not take all other metrics with it. */
const PATIENCE_MS = 2_000
/** Older totals say nothing about now, so they are left out. */
const USABLE_MS = 60_000
const MOST_PER_POOL = 1_000

/** The label of all pools that the operator did not name. No pool can have this name. */
const OTHERS = '(other)'

/**
 * The work of all pools, for gauges. Only pools that the operator named have their own: any tenant can create pools,
 * and each would add a series that Prometheus keeps for weeks.
 */
export class PoolGauges {
  readonly #database: Database
  readonly #named: readonly string[]
  readonly #onlineMs: number
  #totals: readonly PoolTotals[] = []
  #readAt = -Infinity
  #reading: Promise<void> | undefined

  constructor(database: Database, named: readonly string[], onlineMs: number) {
    this.#database = database.urgent
    this.#named = named
    this.#onlineMs = onlineMs
  }

  /** Empty if the database has not said for too long. Never fails. */
  async read(): Promise<readonly PoolTotals[]> {
    if (performance.now() - this.#readAt > FRESH_MS) {
      const inTime = new AbortController()
      this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined))
      await Promise.race([
        this.#reading,
        pause(PATIENCE_MS, undefined, { signal: inTime.signal }).catch(() => undefined),
      ])
      inTime.abort()
    }
    return performance.now() - this.#readAt > USABLE_MS ? [] : this.#totals
  }

  async #refresh(): Promise<void> {
    try {
      const totals = await this.#database.statement((transaction) =>
        readPoolTotals(transaction, {
          named: this.#named,
          freshMs: FRESH_MS,
          onlineMs: this.#onlineMs,
          most: MOST_PER_POOL,
        }),
      )
      this.#totals = totals.map((each) => ({ ...each, pool: each.pool || OTHERS }))
      this.#readAt = performance.now()
    } catch {
      // The database is unavailable, which other metrics and the log say.
    }
  }
}
