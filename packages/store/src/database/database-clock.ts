import type { Database } from './database.ts'
import { statement } from './statement.ts'

const time = statement(
  'database_time',
  `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  { ms: 'float8' },
)

const SAMPLES = 3

/**
 * The database's time, which is the same for every server. Between two looks it is counted on by a timer that no
 * correction of this machine's clock moves. It is never ahead of the database: what is due is due there as well.
 */
export class DatabaseClock {
  readonly #database: Database
  /** What to add to the timer. Until the first look, this machine's clock has to do. */
  #offsetMs = Date.now() - performance.now()

  constructor(database: Database) {
    this.#database = database
  }

  now(): number {
    return Math.floor(performance.now() + this.#offsetMs)
  }

  /** How far this machine's own clock is ahead of the database's. */
  get skewMs(): number {
    return Date.now() - this.now()
  }

  /** Looks several times, because an answer that was slow says the least. */
  async look(): Promise<void> {
    let quickestMs = Infinity
    for (let sample = 0; sample < SAMPLES; sample++) {
      const askedAt = performance.now()
      const row = await this.#database.urgent.statement((transaction) => transaction.row(time, []))
      const heardAt = performance.now()
      if (row === undefined || heardAt - askedAt >= quickestMs) continue
      quickestMs = heardAt - askedAt
      // As if the answer had taken no time: so we are late by that much, and never early.
      this.#offsetMs = row.ms - heardAt
    }
  }
}
