import { Client, escapeIdentifier, escapeLiteral } from 'pg'

/**
 * Creates a login with the rights of a production server on a migrated database, and returns its URL. Calling it
 * again resets the password.
 */
export async function createServerLogin(
  adminUrl: string,
  login: { readonly name: string; readonly password: string },
): Promise<string> {
  const admin = new Client({ connectionString: adminUrl })
  // A server killed on purpose also closes this connection. The query in flight reports it.
  admin.on('error', () => undefined)
  await admin.connect()
  try {
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [login.name])
    if (rowCount === 0) {
      await admin.query(`create role ${escapeIdentifier(login.name)} login in role skein_server`)
    }
    await admin.query(`alter role ${escapeIdentifier(login.name)} password ${escapeLiteral(login.password)}`)
  } finally {
    await admin.end()
  }
  const url = new URL(adminUrl)
  url.username = login.name
  url.password = login.password
  return url.href
}
