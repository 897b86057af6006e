import { Pool, type PoolClient } from 'pg'
import { isTransient, toSkeinError } from './database-errors.ts'
import { Session } from './session.ts'

export interface DatabaseOptions {
  readonly connectionString: string
  readonly maxConnections: number
  readonly applicationName: string
  /** A connection that breaks while idle is replaced; this is told why. */
  readonly onIdleError?: (error: Error) => void
}

/** Conflicts that PostgreSQL resolves by aborting one side. Nothing of it was committed, so it starts over. */
const MAX_ATTEMPTS = 5

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The server's way to its database: nothing is read or written outside one of these transactions. */
export class Database {
  readonly #pool: Pool

  constructor({ connectionString, maxConnections, applicationName, onIdleError }: DatabaseOptions) {
    this.#pool = new Pool({
      connectionString,
      max: maxConnections,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      // No transaction waits for a network, a model or a person, so none needs longer than this.
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      lock_timeout: 20_000,
    })
    this.#pool.on('error', (error) => onIdleError?.(error))
  }

  /** Sees and writes only rows of this tenant: row-level security holds for the whole transaction. */
  async forTenant<Result>(tenantId: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    if (!UUID.test(tenantId)) throw new TypeError('A tenant id is a UUID')
    return this.#transaction(`begin; select set_config('skein.tenant', '${tenantId}', true)`, work)
  }

  /** Sees no tenant's rows; for the few functions that work before a tenant is known. */
  async withoutTenant<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#transaction('begin', work)
  }

  get connections(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  async #transaction<Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(begin, work)
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isTransient(error)) throw toSkeinError(error)
      }
    }
  }

  async #attempt<Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      await client.query(begin)
      const result = await work(new Session(client))
      const { command } = await client.query('commit')
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK, and no error.
      if (command !== 'COMMIT') throw new Error(`The transaction ended in ${command}`)
      return result
    } catch (error) {
      broken = await rollback(client)
      throw error
    } finally {
      client.release(broken)
    }
  }
}

/** Answers why the connection cannot be used again, if so. */
async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed')
  }
}
