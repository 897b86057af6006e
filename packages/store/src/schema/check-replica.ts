import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { serverRoleProblem } from './server-role.ts'

const identify = statement(
  'identify_database',
  `select system_identifier::text || '/' || (select oid from pg_database where datname = current_database()) as id,
     pg_is_in_recovery() as replays, timeline_id as timeline
   from pg_control_system(), pg_control_checkpoint()`,
  { id: 'text', replays: 'boolean', timeline: 'int' },
)

export interface ReplicaProblem {
  readonly text: string
  /** Whether it may pass by itself, such as during a failover. */
  readonly isPassing: boolean
}

/** What keeps a database from being read instead of the primary, if anything. */
export async function replicaProblem(
  primary: Database,
  replica: Database,
): Promise<ReplicaProblem | undefined> {
  const [original, copy] = [await inspect(primary), await inspect(replica)]
  if (copy.role !== undefined) return { text: copy.role, isPassing: false }
  if (copy.id === undefined || copy.id !== original.id) {
    return { text: 'it is not a copy of SKEIN_DATABASE_URL', isPassing: false }
  }
  if (copy.replays !== true) return { text: 'it is not a replica: it accepts writes', isPassing: true }
  if (copy.timeline !== original.timeline)
    return { text: 'it does not follow the primary: their timelines differ', isPassing: true }
  return undefined
}

function inspect(database: Database) {
  return database.withoutTenant(async (transaction) => ({
    ...(await transaction.row(identify, [])),
    role: await serverRoleProblem(transaction),
  }))
}
