import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { serverRoleProblem } from './server-role.ts'

const identify = statement(
  'identify_database',
  `select system_identifier::text || '/' || (select oid from pg_database where datname = current_database()) as id,
     pg_is_in_recovery() as replays
   from pg_control_system()`,
  { id: 'text', replays: 'boolean' },
)

/** Returns what keeps a database from being read instead of the primary, if anything. */
export async function replicaProblem(primary: Database, replica: Database): Promise<string | undefined> {
  const [original, copy] = [await inspect(primary), await inspect(replica)]
  if (copy.role !== undefined) return copy.role
  if (copy.id === undefined || copy.id !== original.id) return 'it is not a copy of SKEIN_DATABASE_URL'
  if (copy.replays !== true) return 'it is no replica: it accepts writes'
  return undefined
}

function inspect(database: Database) {
  return database.withoutTenant(async (transaction) => ({
    ...(await transaction.row(identify, [])),
    role: await serverRoleProblem(transaction),
  }))
}
