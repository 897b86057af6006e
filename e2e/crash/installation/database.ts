import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createServerLogin, startPostgresServer, type PostgresServer } from '@skein/testkit'

const run = promisify(execFile)

/** PostgreSQL as in production, except for frequent checkpoints, so that kills hit them too. */
export function startDatabase(): Promise<PostgresServer> {
  return startPostgresServer({
    durable: true,
    settings: ['checkpoint_timeout=30s', 'max_wal_size=256MB'],
  })
}

export interface PreparedDatabase {
  readonly serverUrl: string
  readonly masterKey: string
  readonly adminKey: string
}

/** Migrates and creates the tenant with the commands of the source under test, not with our own. */
export async function prepareDatabase(ownerUrl: string, root: string): Promise<PreparedDatabase> {
  const masterKey = randomBytes(32).toString('base64')
  const env = { SKEIN_OWNER_DATABASE_URL: ownerUrl, SKEIN_MASTER_KEY: masterKey }
  await serverCommand(root, ['migrate'], env)
  const serverUrl = await createServerLogin(ownerUrl, {
    name: 'skein_crash',
    password: randomBytes(16).toString('hex'),
  })
  const printed = await serverCommand(
    root,
    ['bootstrap', '--org', 'crash', '--account', 'ada', '--json'],
    env,
  )
  return { serverUrl, masterKey, adminKey: (JSON.parse(printed) as { key: string }).key }
}

/** The server of a source tree, or of a folder that its package is installed in. */
export function serverScript(root: string): string {
  const source = join(root, 'packages/server/src/main.ts')
  return existsSync(source) ? source : join(root, 'node_modules/@skein/server/bin/skein-server.mjs')
}

/** Runs a command of the server at `root`. Returns what it printed. */
export async function serverCommand(
  root: string,
  args: string[],
  env: Record<string, string>,
): Promise<string> {
  const { stdout } = await run(process.execPath, [serverScript(root), ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
  })
  return stdout
}
