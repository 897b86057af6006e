import { escapeIdentifier, escapeLiteral } from 'pg'
import { asAdmin, databaseUrl } from './admin-client.ts'

/**
 * A login that can do what a production server's can, on a migrated database. Answers its URL. Calling it again
 * sets the password anew.
 */
export async function createServerLogin(
  adminUrl: string,
  login: { readonly name: string; readonly password: string },
): Promise<string> {
  await asAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [login.name])
    if (rowCount === 0) {
      await admin.query(`create role ${escapeIdentifier(login.name)} login in role skein_server`)
    }
    await admin.query(`alter role ${escapeIdentifier(login.name)} password ${escapeLiteral(login.password)}`)
  })
  return databaseUrl(adminUrl, new URL(adminUrl).pathname.slice(1), login)
}
