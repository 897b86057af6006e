import { Client, type QueryResultRow } from 'pg'
import { toSkeinError } from '../database/database-errors.ts'

/** The same text for the same value on both sides, whatever the databases are set to. */
const SETTINGS = [
  `set timezone = 'UTC'`,
  `set datestyle = 'ISO'`,
  `set intervalstyle = 'postgres'`,
  `set bytea_output = 'hex'`,
  `set extra_float_digits = 1`,
  `set statement_timeout = 0`,
  `set idle_in_transaction_session_timeout = 0`,
  // A row of a large tenant costs its work once, and not the start of a process.
  `set max_parallel_workers_per_gather = 0`,
  `set jit = off`,
  // The lock of a command that was killed is free as soon as PostgreSQL notices: also during a long query, and if the
  // whole machine is gone.
  `set client_connection_check_interval = '2s'`,
  `set tcp_keepalives_idle = 10`,
  `set tcp_keepalives_interval = 5`,
  `set tcp_keepalives_count = 3`,
]

const KEEP_ALIVE_MS = 10_000
const CONNECT_TIMEOUT_MS = 15_000

/**
 * One connection to the database of a cell, as the owner of its tables, for a whole move: the lock that keeps others from
 * moving the same tenant is lost together with it, and then nothing more can be written.
 */
export class MoveConnection {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  static async open(
    connectionString: string,
    connectTimeoutMs: number = CONNECT_TIMEOUT_MS,
  ): Promise<MoveConnection> {
    const client = new Client({
      connectionString,
      application_name: 'skein-move',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    })
    // A connection lost between two queries fails the next one. Unhandled, this event would end the process.
    client.on('error', () => undefined)
    try {
      await client.connect()
      for (const setting of SETTINGS) await client.query(setting)
    } catch (error) {
      // Not awaited: after a timeout it never ends.
      void client.end().catch(() => undefined)
      throw toSkeinError(error)
    }
    return new MoveConnection(client)
  }

  async rows<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return (await this.#client.query<Row>(text, [...values])).rows
    } catch (error) {
      throw toSkeinError(error)
    }
  }

  async row<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values))[0]
  }

  /** How many rows it changed. */
  async execute(text: string, values: readonly unknown[] = []): Promise<number> {
    try {
      return (await this.#client.query(text, [...values])).rowCount ?? 0
    } catch (error) {
      throw toSkeinError(error)
    }
  }

  async transaction<Result>(work: () => Promise<Result>, begin = 'begin'): Promise<Result> {
    await this.execute(begin)
    try {
      const result = await work()
      await this.execute('commit')
      return result
    } catch (error) {
      await this.execute('rollback').catch(() => undefined)
      throw error
    }
  }

  close(): Promise<void> {
    return this.#client.end().catch(() => undefined)
  }
}
