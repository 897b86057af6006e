import { hash } from 'node:crypto'
import { noteRunner, type Database, type RunnerNote } from '@skein/store'
import { LRUCache } from 'lru-cache'

/** A runner with many free places polls many times a second. Its row is written every 20 seconds at most. */
const KEPT_MS = 1_000
const MAX_RUNNERS = 10_000

/** What runners said about themselves within the last second, so that the database isn't told again. */
export class RunnerNotes {
  readonly #database: Database
  readonly #noted = new LRUCache<string, string>({ max: MAX_RUNNERS, ttl: KEPT_MS })

  constructor(database: Database) {
    this.#database = database
  }

  async note(note: RunnerNote): Promise<void> {
    const runner = JSON.stringify([note.tenantId, note.token, note.name])
    const said = hash('sha256', JSON.stringify([note.pools, note.servesAllTenants, note.offers]))
    if (this.#noted.get(runner) === said) return
    await this.#database.statement((transaction) => noteRunner(transaction, note))
    this.#noted.set(runner, said)
  }
}
