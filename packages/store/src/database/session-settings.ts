import { escapeIdentifier, type Client } from 'pg'

/**
 * Settings that every session of the server's login has. They belong to the login rather than to the connection,
 * because a pooler in transaction mode drops or rejects what a client asks for when it connects (docs/adr/0037).
 *
 * No transaction waits for a network, a model or a person, so none needs longer than 30 seconds. Waiting longer for a
 * lock than any command holds its tree fails with a retryable error.
 *
 * All statements are named, short and find their rows by key, so one plan fits all values. By default PostgreSQL
 * would plan the larger ones at every call, which costs more than running them. A plan made while a table is small
 * would use a sequential scan and be kept when the table has grown, so sequential scans are off. JIT compilation is
 * never worth it.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '30s',
  lock_timeout: '5s',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
}

/** Two servers that start at the same time must not change the same row of the catalog. */
const LOCK = 0x6c_6f_67_69_6e

/** The names of the settings that this session does not have. */
export async function findMissingSettings(client: Client): Promise<string[]> {
  const names = Object.keys(SESSION_SETTINGS)
  const columns = names.map((name) => `current_setting('${name}') as ${name}`)
  const { rows } = await client.query<Record<string, string>>(`select ${columns.join(', ')}`)
  return names.filter((name) => rows[0]?.[name] !== SESSION_SETTINGS[name])
}

/** Every login may change its own settings. They apply to new sessions in this database. */
export async function changeOwnSettings(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  const database = escapeIdentifier(rows[0]?.name ?? '')
  const changes = Object.entries(SESSION_SETTINGS).map(
    ([name, value]) => `alter role current_user in database ${database} set ${name} = '${value}'`,
  )
  await client.query(['begin', `select pg_advisory_xact_lock(${LOCK})`, ...changes, 'commit'].join(';\n'))
}

/** For an administrator, with a login's name. */
export function settingsAsSql(login: string): string {
  return Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `ALTER ROLE ${login} SET ${name} = '${value}';`)
    .join('\n')
}
