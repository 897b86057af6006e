import { waitFor } from '@skein/testkit'
import { Client } from 'pg'

const WAITING = `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and l.locktype = 'advisory' and a.datname = current_database()`

/** Holds a lock until somebody waits for it, lets something else happen, and then lets them go on. */
export async function whileLocked<Stopped>(
  connectionString: string,
  lock: string,
  stopped: () => Promise<Stopped>,
  other: () => Promise<unknown>,
): Promise<Stopped> {
  const holder = new Client({ connectionString })
  await holder.connect()
  try {
    await holder.query(`begin; ${lock}`)
    const outcome = stopped()
    await waitFor(async () => (await holder.query(WAITING)).rowCount === 1, { what: 'somebody to wait' })
    await other()
    await holder.query('commit')
    return await outcome
  } finally {
    await holder.end()
  }
}
