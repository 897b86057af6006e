import { asAdmin } from './admin-client.ts'

/** One line each, to help find the client that forgot to close it. */
export async function listDatabaseConnections(
  adminUrl: string,
  databases: readonly string[],
): Promise<string[]> {
  return asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ line: string }>(
      `select format('%s as %s (application %s, %s): %s', datname, usename, application_name, state,
                     left(regexp_replace(query, '\\s+', ' ', 'g'), 120)) as line
         from pg_stat_activity
        where datname = any ($1) and backend_type = 'client backend'
        order by backend_start`,
      [databases],
    )
    return rows.map(({ line }) => line)
  })
}
