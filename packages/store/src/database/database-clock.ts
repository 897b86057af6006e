import type { Database } from './database.ts'
import { statement } from './statement.ts'

const time = statement(
  'database_time',
  `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  { ms: 'float8' },
)

const SAMPLES = 3

/**
 * The database's time, the same for every server. Between two looks it advances with a monotonic timer, unaffected
 * by corrections of this machine's clock. It is never ahead of the database: what is due here is due there as well.
 */
export class DatabaseClock {
  readonly #database: Database
  /** Offset to the timer. Before the first look, based on this machine's clock. */
  #offsetMs = Date.now() - performance.now()

  constructor(database: Database) {
    this.#database = database
  }

  now(): number {
    return Math.floor(performance.now() + this.#offsetMs)
  }

  /** How far this machine's clock is ahead of the database's. */
  get skewMs(): number {
    return Date.now() - this.now()
  }

  /** Takes several samples and uses the fastest: a slow response is the least precise. */
  async look(): Promise<void> {
    let quickestMs = Infinity
    for (let sample = 0; sample < SAMPLES; sample++) {
      const askedAt = performance.now()
      const row = await this.#database.urgent.statement((transaction) => transaction.row(time, []))
      const heardAt = performance.now()
      if (row === undefined || heardAt - askedAt >= quickestMs) continue
      quickestMs = heardAt - askedAt
      // Assumes that the response took no time, so we may be late by that much, but never early.
      this.#offsetMs = row.ms - heardAt
    }
  }
}
