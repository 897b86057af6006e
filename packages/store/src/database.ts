import { Pool, type PoolClient } from 'pg'
import { isTransient, toSkeinError } from './database-errors.ts'
import { NotificationBus } from './notification-bus.ts'
import { Session } from './session.ts'
import type { Statement } from './statement.ts'

export interface DatabaseOptions {
  readonly connectionString: string
  readonly maxConnections: number
  readonly applicationName: string
  readonly observer?: DatabaseObserver
}

/** Is told what no statement answers. */
export interface DatabaseObserver {
  /** A connection that breaks while idle is replaced; this is why. */
  readonly onIdleError?: (error: Error) => void
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void
}

/** A statement that answers one value. */
export interface Query {
  readonly statement: Statement
  readonly values: unknown[]
}

/** Conflicts that PostgreSQL resolves by aborting one side. Nothing of it was committed, so it starts over. */
const MAX_ATTEMPTS = 5

/**
 * Every statement is named, short and finds its rows by key, so one plan serves for all values. Left to itself
 * PostgreSQL plans the larger ones anew at each call, which costs more than running them. A plan that is made while a
 * table is small would read it from end to end, and be kept when it has grown: so no plan may, and none is worth
 * compiling.
 */
const PLANNING = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The server's way to its database: nothing is read or written outside one of these transactions. */
export class Database {
  readonly #pool: Pool
  readonly #notifications: NotificationBus

  constructor({ connectionString, maxConnections, applicationName, observer = {} }: DatabaseOptions) {
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
      options: PLANNING,
      // What does not depend on an answer is sent without waiting for it: BEGIN with the first statement.
      pipeline: true,
    })
    this.#pool.on('error', (error) => observer.onIdleError?.(error))
    this.#pool.on('connect', (client) => {
      // The query in progress reports a broken connection; this event, with nobody to hear it, would end the process.
      // From the first moment on: a connection can be ended in the very packet that says it is ready.
      client.on('error', ignoreError)
      client.on('notice', ({ severity = '', message = '' }) => observer.onNotice?.({ severity, message }))
    })
    this.#notifications = new NotificationBus(connectionString, this.#pool, observer.onIdleError)
  }

  /** Sees and writes only rows of this tenant: row-level security holds for the whole transaction. */
  async forTenant<Result>(tenantId: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    if (!UUID.test(tenantId)) throw new TypeError('A tenant id is a UUID')
    return this.#transaction(`begin; select set_config('skein.tenant', '${tenantId}', true)`, work)
  }

  /**
   * Each statement commits by itself, at the database, without waiting for us to say so: for functions of the
   * database that are whole transactions and bind themselves to a tenant where they need one. A lock that such a
   * function takes is held no longer than it runs.
   */
  async statement<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#retrying(() => work(new Session(this.#pool)))
  }

  /** Sees no tenant's rows; for the few functions that work before a tenant is known. */
  async withoutTenant<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#transaction('begin', work)
  }

  /**
   * A command in two round trips: BEGIN with the statement that locks and loads, then, once it is decided what
   * to write, that statement with COMMIT.
   */
  async command<Result>(
    load: Query,
    decide: (loaded: unknown, session: Session) => Promise<{ write: Query | undefined; result: Result }>,
  ): Promise<Result> {
    return this.#retrying(() =>
      this.#withClient(async (client) => {
        const [, loaded] = await Promise.all([client.query('begin'), run(client, load)])
        const { write, result } = await decide(loaded, new Session(client))
        const [, { command }] = await Promise.all([write && run(client, write), client.query('commit')])
        requireCommit(command)
        return result
      }),
    )
  }

  /** For wake-ups; needs connections that a pooler in transaction mode does not share. */
  get notifications(): NotificationBus {
    return this.#notifications
  }

  get connections(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { total: totalCount, idle: idleCount, waiting: waitingCount }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #transaction<Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#retrying(() => this.#attempt(begin, work))
  }

  async #retrying<Result>(attemptOnce: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce()
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isTransient(error)) throw toSkeinError(error)
      }
    }
  }

  #attempt<Result>(begin: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#withClient(async (client) => {
      const [, result] = await Promise.all([client.query(begin), work(new Session(client))])
      const { command } = await client.query('commit')
      requireCommit(command)
      return result
    })
  }

  /** A connection for the time of one transaction. Whatever goes wrong, it is rolled back or thrown away. */
  async #withClient<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect()
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      broken = await rollback(client)
      throw error
    } finally {
      client.release(broken)
    }
  }
}

function ignoreError(): void {}

async function run(client: PoolClient, { statement, values }: Query): Promise<unknown> {
  const { rows } = await client.query<Record<string, unknown>>({ ...statement, values })
  return Object.values(rows[0] ?? {})[0]
}

/** PostgreSQL answers COMMIT of a failed transaction with ROLLBACK, and no error. */
function requireCommit(command: string): void {
  if (command !== 'COMMIT') throw new Error(`The transaction ended in ${command}`)
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
