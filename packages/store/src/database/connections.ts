import { DatabaseError, Pool, type PoolClient } from 'pg'
import { ConnectionQueue } from './connection-queue.ts'
import type { Asker } from './connection-shares.ts'
import { NotificationBus } from './notification-bus.ts'

export interface DatabaseOptions {
  readonly connectionString: string
  readonly maxConnections: number
  readonly applicationName: string
  /** How long a new connection may take. */
  readonly connectMs?: number
  readonly observer?: DatabaseObserver
}

/** Is told what no statement answers. */
export interface DatabaseObserver {
  /** A connection that breaks while idle is replaced; this is why. */
  readonly onIdleError?: (error: Error) => void
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void
}

/**
 * Every statement is named, short and finds its rows by key, so one plan serves for all values. Left to itself
 * PostgreSQL plans the larger ones anew at each call, which costs more than running them. A plan that is made while a
 * table is small would read it from end to end, and be kept when it has grown: so no plan may, and none is worth
 * compiling.
 */
const PLANNING =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_mergejoin=off -c jit=off'

/** Shorter than a runner waits for the answer to a heartbeat: it must hear that the database is away. */
const DEFAULT_CONNECT_MS = 3_000

const QUEUE_LIMITS = { maxWaitMs: 5_000, maxWaiting: 1_000 }

/** A server's connections, shared out among the tenants. The pool itself is never asked for more than it has. */
export class Connections {
  readonly #pool: Pool
  readonly #queue: ConnectionQueue
  readonly notifications: NotificationBus

  constructor({
    connectionString,
    maxConnections,
    applicationName,
    connectMs = DEFAULT_CONNECT_MS,
    observer = {},
  }: DatabaseOptions) {
    this.#queue = new ConnectionQueue(maxConnections, QUEUE_LIMITS)
    this.#pool = new Pool({
      connectionString,
      max: maxConnections,
      application_name: applicationName,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: 30_000,
      // No transaction waits for a network, a model or a person, so none needs longer than this.
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 30_000,
      // Far longer than the largest command holds its tree; who waits longer is told so and comes back.
      lock_timeout: 5_000,
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
    const asService = { tenant: '', isUrgent: true }
    this.notifications = new NotificationBus(
      connectionString,
      (send) => this.withPool(asService, send),
      observer.onIdleError,
    )
  }

  /** For statements that are transactions by themselves: which connection takes them does not matter. */
  withPool<Result>(asker: Asker, work: (pool: Pick<Pool, 'query'>) => Promise<Result>): Promise<Result> {
    return this.#queue.use(asker, () => work(this.#pool))
  }

  /** A connection for the time of one transaction. Whatever goes wrong, it is rolled back or thrown away. */
  withClient<Result>(asker: Asker, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    return this.#queue.use(asker, async () => {
      const client = await this.#pool.connect()
      let broken: Error | undefined
      let ended: Error | undefined
      const onEnd = (error: Error): void => void (ended ??= error)
      client.on('error', onEnd)
      try {
        return await work(client)
      } catch (error) {
        broken = await rollback(client)
        // What PostgreSQL said when it ended the connection tells more than that there is none any more.
        throw ended instanceof DatabaseError ? ended : error
      } finally {
        client.off('error', onEnd)
        client.release(broken)
      }
    })
  }

  get counts(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount } = this.#pool
    return { total: totalCount, idle: idleCount, waiting: this.#queue.waiting }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

function ignoreError(): void {}

/** Answers why the connection cannot be used again, if so. */
async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed')
  }
}
