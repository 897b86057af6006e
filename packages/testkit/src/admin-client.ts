import { Client } from 'pg'

/** Opens a connection to the maintenance database for one piece of work. */
export async function asAdmin<T>(adminUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: adminUrl, application_name: 'skein-testkit' })
  // A server killed on purpose also closes this connection. The query in flight reports it.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function databaseUrl(
  adminUrl: string,
  database: string,
  login: { readonly name: string; readonly password: string },
): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  url.username = login.name
  url.password = login.password
  return url.href
}
