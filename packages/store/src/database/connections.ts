import { DatabaseError, Pool, type PoolClient } from 'pg'
import { ConnectionQueue } from './connection-queue.ts'
import type { Asker } from './connection-shares.ts'
import { NotificationBus } from './notification-bus.ts'

export interface DatabaseOptions {
  readonly connectionString: string
  readonly maxConnections: number
  readonly applicationName: string
  /** Timeout for opening a connection. */
  readonly connectMs?: number
  readonly observer?: DatabaseObserver
}

/** Receives what is not part of any statement's result. */
export interface DatabaseObserver {
  /** An idle connection broke and is replaced. */
  readonly onIdleError?: (error: Error) => void
  readonly onNotice?: (notice: { readonly severity: string; readonly message: string }) => void
}

/**
 * All statements are named, short and find their rows by key, so one plan fits all values. By default PostgreSQL
 * would plan the larger ones at every call, which costs more than running them. A plan made while a table is small
 * would use a sequential scan and be kept when the table has grown, so sequential scans are off. JIT compilation is
 * never worth it.
 */
const PLANNING =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_mergejoin=off -c jit=off'

/** Shorter than a runner waits for a heartbeat's response: it must learn that the database is unavailable. */
const DEFAULT_CONNECT_MS = 3_000

const QUEUE_LIMITS = { maxWaitMs: 5_000, maxWaiting: 1_000 }

export interface ConnectionCounts {
  readonly total: number
  readonly idle: number
  readonly waiting: number
  readonly shares: ConnectionQueue['shares']
}

/** A server's connections, shared among tenants. The pool is never asked for more than it has. */
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
      // Far longer than any command holds its tree. A longer wait fails with a retryable error.
      lock_timeout: 5_000,
      options: PLANNING,
      // Statements that don't depend on a result are sent without waiting: BEGIN together with the first statement.
      pipeline: true,
    })
    this.#pool.on('error', (error) => observer.onIdleError?.(error))
    this.#pool.on('connect', (client) => {
      // The query in progress reports a broken connection. Unhandled, this event would end the process. It is
      // handled from the start, because a connection can be closed in the same packet that says it is ready.
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

  /** For single statements that are transactions by themselves. Any connection will do. */
  withPool<Result>(asker: Asker, work: (pool: Pick<Pool, 'query'>) => Promise<Result>): Promise<Result> {
    return this.#queue.use(asker, () => work(this.#pool))
  }

  /** Holds a connection for one transaction. On any error it is rolled back or discarded. */
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
        // The reason PostgreSQL gave for closing the connection is more useful than the error that it is closed.
        throw ended instanceof DatabaseError ? ended : error
      } finally {
        client.off('error', onEnd)
        client.release(broken)
      }
    })
  }

  get counts(): ConnectionCounts {
    const { totalCount, idleCount } = this.#pool
    return {
      total: totalCount,
      idle: idleCount,
      waiting: this.#queue.waiting,
      shares: this.#queue.shares,
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

function ignoreError(): void {}

/** Returns why the connection cannot be reused, if so. */
async function rollback(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed')
  }
}
