import { waitFor } from '@skein/testkit'
import { Client } from 'pg'

const BLOCKED = `select count(distinct l.pid)::int as count from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where not l.granted and a.datname = current_database()`

/**
 * Stops whoever finishes a login just before it is taken, lets something else happen meanwhile, and then lets both go on.
 * Returns what became of both.
 */
export async function whileFinishing<Finished, Other>(
  connectionString: string,
  loginId: string,
  finish: () => Promise<Finished>,
  other: () => Promise<Other>,
): Promise<[Finished, Other]> {
  // One holds the login, the other looks: within a transaction, one would see the same all the time.
  const [holder, observer] = [new Client({ connectionString }), new Client({ connectionString })]
  await Promise.all([holder.connect(), observer.connect()])
  const blocked = async () => (await observer.query<{ count: number }>(BLOCKED)).rows[0]?.count
  try {
    await holder.query('begin')
    await holder.query('select from login where id = $1 for update', [loginId])
    const finished = finish()
    await waitFor(async () => (await blocked()) === 1, { what: 'the login to be stopped' })
    const done = other()
    await waitFor(async () => (await blocked()) === 2, { what: 'the other to wait for it' })
    await holder.query('commit')
    return await Promise.all([finished, done])
  } finally {
    await Promise.all([holder.end(), observer.end()])
  }
}
