import { setTimeout as pause } from 'node:timers/promises'

/** Counted at most this often, by one server for all. Shorter than the usual 15 seconds between two scrapes. */
export const FRESH_MS = 10_000
/** A scrape doesn't wait longer: an unavailable database must not take all other metrics with it. */
const PATIENCE_MS = 2_000
/** Older totals say nothing about now, so they are left out. */
const USABLE_MS = 60_000

/** What the database counts for the gauges of all servers. */
export class SharedTotals<Totals> {
  readonly #count: () => Promise<Totals>
  #totals: Totals | undefined
  #readAt = -Infinity
  #reading: Promise<void> | undefined

  constructor(count: () => Promise<Totals>) {
    this.#count = count
  }

  /** Undefined if the database has not said for too long. Never fails. */
  async read(): Promise<Totals | undefined> {
    if (performance.now() - this.#readAt > FRESH_MS) {
      const inTime = new AbortController()
      this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined))
      await Promise.race([
        this.#reading,
        pause(PATIENCE_MS, undefined, { signal: inTime.signal }).catch(() => undefined),
      ])
      inTime.abort()
    }
    return performance.now() - this.#readAt > USABLE_MS ? undefined : this.#totals
  }

  async #refresh(): Promise<void> {
    try {
      this.#totals = await this.#count()
      this.#readAt = performance.now()
    } catch {
      // The database is unavailable, which other metrics and the log say.
    }
  }
}
