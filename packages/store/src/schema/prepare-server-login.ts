import { ConfigError } from '@skein/contract'
import { Client, DatabaseError } from 'pg'
import { toSkeinError } from '../database/database-errors.ts'
import { changeOwnSettings, findMissingSettings, settingsAsSql } from '../database/session-settings.ts'
import { Transaction } from '../database/transaction.ts'
import { serverRoleProblem } from './server-role.ts'

interface LoginOptions {
  readonly connectionString: string
  readonly connectMs: number
}

export interface ServerLogin {
  /** Whether a pooler such as PgBouncer is in between. */
  readonly isPooled: boolean
  /** The settings that the login's sessions did not have, and now get when they are opened. */
  readonly changed: readonly string[]
}

/** Enough for a pooler to put each of two clients on a connection that the other has used. */
const ROUNDS = 4

/**
 * Checks the server's login before anything else uses it, and gives it the settings its sessions need. Throws what
 * the operator must fix.
 */
export async function prepareServerLogin(options: LoginOptions): Promise<ServerLogin> {
  try {
    return await withClient(options, async (client) => {
      const isPooled = await findPooler(client)
      if (isPooled) await withClient(options, (other) => requirePreparedStatements(client, other))
      const problem = await serverRoleProblem(new Transaction(client))
      if (problem !== undefined) {
        throw new ConfigError(
          `SKEIN_DATABASE_URL is not safe to serve with: ${problem}. ` +
            'Row-level security would not bind it. See "Create the database" in docs/operations.md.',
        )
      }
      const changed = await findMissingSettings(client)
      if (changed.length > 0) await change(client, isPooled)
      return { isPooled, changed }
    })
  } catch (error) {
    throw toSkeinError(error)
  }
}

async function withClient<Result>(
  { connectionString, connectMs }: LoginOptions,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: connectMs,
    application_name: 'skein-start',
  })
  // The query in progress reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** A pooler answers with a process id of its own, because its clients have no process of PostgreSQL to themselves. */
async function findPooler(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const announced = 'processID' in client ? client.processID : undefined
  return announced !== rows[0]?.pid
}

async function requirePreparedStatements(...clients: readonly Client[]): Promise<void> {
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const client of clients) {
        await client.query('begin')
        await client.query({ name: 'skein_probe', text: 'select 1' })
        await client.query('commit')
      }
    }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    throw new ConfigError(
      `SKEIN_DATABASE_URL leads to a connection pooler that does not support prepared statements (${error.message}). ` +
        'Use PgBouncer 1.21 or newer with pool_mode = transaction and max_prepared_statements = 1000, or connect ' +
        'directly. See "Connection poolers" in docs/operations.md.',
      { cause: error },
    )
  }
}

async function change(client: Client, isPooled: boolean): Promise<void> {
  try {
    await changeOwnSettings(client)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const login = client.user ?? 'skein_app'
    throw new ConfigError(
      `The login of SKEIN_DATABASE_URL lacks settings and cannot change them (${error.message}). ` +
        `Run this as a database administrator:\n${settingsAsSql(login)}`,
      { cause: error },
    )
  }
  // A pooler would hand this session, which was opened before, to the server.
  if (isPooled) await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {})
}
