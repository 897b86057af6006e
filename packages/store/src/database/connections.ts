import { DatabaseError, Pool, type PoolClient } from 'pg'
import { ConnectionQueue } from './connection-queue.ts'
import type { Asker } from './connection-shares.ts'
import { NotificationBus } from './notification-bus.ts'

export interface DatabaseOptions {
  readonly connectionString: string
  /** For notifications, which need a session: not through a pooler in transaction mode. */
  readonly listenConnectionString?: string
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
    listenConnectionString = connectionString,
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
      listenConnectionString,
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
