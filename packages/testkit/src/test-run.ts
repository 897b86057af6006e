import { randomBytes } from 'node:crypto'
import { migrate, settingsAsSql } from '@skein/store'
import { escapeIdentifier, escapeLiteral, type Client } from 'pg'
import { asAdmin, databaseUrl } from './admin-client.ts'

interface Login {
  readonly name: string
  readonly password: string
}

/** What a worker needs to create databases. Plain values, because vitest sends them to other processes. */
export interface TestRunFacts {
  /** A superuser's connection to the maintenance database. */
  readonly adminUrl: string
  /** Prefix of every database and role of this run. */
  readonly prefix: string
  readonly template: string
  readonly owner: Login
  /** Missing if the migrations don't create the role skein_server. */
  readonly server: Login | undefined
}

export interface TestRunOptions {
  readonly adminUrl: string
  /** Defaults to the store's own. */
  readonly migrations?: URL | string
}

/** Roles belong to the whole cluster: two runs creating skein_server at once would make each other fail. */
const preparationLockKey = 0x73_6b_74_65_73_74

/** Creates the run's roles and the migrated template that its databases are cloned from. */
export async function prepareTestRun(options: TestRunOptions): Promise<TestRunFacts> {
  const prefix = `skein_test_${Date.now().toString(36)}${randomBytes(3).toString('hex')}_`
  return asAdmin(options.adminUrl, async (admin) => {
    await requireSuperuser(admin)
    try {
      await admin.query('select pg_advisory_lock($1)', [preparationLockKey])
      return await prepare(admin, prefix, options)
    } catch (error) {
      await removeTestRun(options.adminUrl, prefix)
      throw error
    }
  })
}

/** Removes everything of the run from the server, even with open connections. */
export async function removeTestRun(adminUrl: string, prefix: string): Promise<void> {
  await asAdmin(adminUrl, async (admin) => {
    const databases = await admin.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefix],
    )
    for (const { name } of databases.rows) {
      await admin.query(`alter database ${escapeIdentifier(name)} is_template false`)
      await admin.query(`drop database ${escapeIdentifier(name)} with (force)`)
    }
    const roles = await admin.query<{ name: string }>(
      'select rolname as name from pg_roles where starts_with(rolname, $1)',
      [prefix],
    )
    for (const { name } of roles.rows) {
      await admin.query(`drop owned by ${escapeIdentifier(name)}`)
      await admin.query(`drop role ${escapeIdentifier(name)}`)
    }
  })
}

async function prepare(admin: Client, prefix: string, options: TestRunOptions): Promise<TestRunFacts> {
  const template = `${prefix}template`
  // Like a careful operator's: may create skein_server but is not a superuser, so row-level security applies.
  const owner = await createLogin(admin, `${prefix}owner`, 'createrole')
  await admin.query(`create database ${escapeIdentifier(template)} owner ${escapeIdentifier(owner.name)}`)
  await migrate({
    connectionString: databaseUrl(options.adminUrl, template, owner),
    ...(options.migrations === undefined ? {} : { directory: options.migrations }),
  })
  const role = await admin.query(`select from pg_roles where rolname = 'skein_server'`)
  const server =
    role.rows.length > 0 ? await createLogin(admin, `${prefix}server`, 'in role skein_server') : undefined
  // What a server does when it starts, because most tests start only parts of one.
  if (server) await admin.query(settingsAsSql(escapeIdentifier(server.name)))
  // No connections allowed: a template in use cannot be cloned.
  await admin.query(`alter database ${escapeIdentifier(template)} allow_connections false is_template true`)
  return { adminUrl: options.adminUrl, prefix, template, owner, server }
}

async function createLogin(admin: Client, name: string, attributes: string): Promise<Login> {
  const password = randomBytes(16).toString('hex')
  await admin.query(
    `create role ${escapeIdentifier(name)} login nosuperuser nobypassrls inherit ` +
      `password ${escapeLiteral(password)} ${attributes}`,
  )
  return { name, password }
}

async function requireSuperuser(admin: Client): Promise<void> {
  const { rows } = await admin.query('select from pg_roles where rolname = current_user and rolsuper')
  if (rows.length > 0) return
  throw new Error(
    'SKEIN_TEST_DATABASE_URL must connect as a superuser: the tests create databases and roles with it.',
  )
}
