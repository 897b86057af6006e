import { Client, escapeIdentifier, escapeLiteral } from 'pg'

/**
 * A login that can do what a production server's can, on a migrated database. Answers its URL. Calling it again
 * sets the password anew.
 */
export async function createServerLogin(
  adminUrl: string,
  login: { readonly name: string; readonly password: string },
): Promise<string> {
  const admin = new Client({ connectionString: adminUrl })
  // A server killed on purpose ends this connection too; the query in flight reports it.
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
