import { execFile } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '@skein/host'
import { replaceEach } from './haproxy.ts'
import { findProgram } from './needs.ts'
import { Program } from './program.ts'

const run = promisify(execFile)

/** Debian 12 has an older one. */
const OLDEST = 1.21
const SUITE = 'trixie'
/** Shared with the nightly tests. */
const CACHE = process.env['SKEIN_PGBOUNCER_DIR'] ?? '/var/tmp/skein-pgbouncer'
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

export interface Pooler {
  /** The same database, through the pooler. */
  readonly url: string
  readonly version: string
  readonly program: Program
}

/** PgBouncer with the file that our pages show, in front of a database. */
export async function startPooler(
  { root, folder }: { root: string; folder: string },
  databaseUrl: string,
): Promise<Pooler> {
  const { path, version } = await findPooler(root)
  const url = new URL(databaseUrl)
  const name = url.pathname.slice(1)
  const port = await findFreePort()
  const users = join(folder, 'userlist.txt')
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(users, `"${url.username}" "${url.password}"\n`, { mode: 0o600 })
  writeFileSync(
    config,
    replaceEach(readFileSync(join(root, 'deploy/pgbouncer/pgbouncer.ini'), 'utf8'), [
      [
        'skein = host=127.0.0.1 port=5432 dbname=skein',
        `${name} = host=127.0.0.1 port=${url.port} dbname=${name}`,
      ],
      ['listen_port = 6432', `listen_port = ${port}`],
      ['/etc/pgbouncer/userlist.txt', users],
    ]),
  )
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(users, NOBODY, NOBODY)
  chmodSync(folder, 0o755)
  const program = new Program({
    name: 'PgBouncer',
    command: [path, config],
    logFile: join(folder, 'pgbouncer.log'),
    user: isRoot ? { uid: NOBODY, gid: NOBODY } : undefined,
  })
  await program.untilListening(port)
  url.port = String(port)
  return { url: url.href, version, program }
}

/** The installed one if it is new enough, else Debian 13's, beside the system. */
async function findPooler(root: string): Promise<{ path: string; version: string }> {
  const installed = findProgram({ program: 'pgbouncer', debian: 'pgbouncer' })
  if (installed !== undefined) {
    const version = await readVersion(installed)
    if (isNewEnough(version)) return { path: installed, version }
  }
  const script = join(root, 'e2e/pooler/get-pgbouncer.sh')
  const { stdout } = await run('sh', [script, SUITE, join(CACHE, SUITE)])
  const path = stdout.trim()
  return { path, version: await readVersion(path) }
}

async function readVersion(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version'])
  return /PgBouncer (\S+)/.exec(stdout)?.[1] ?? ''
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major + minor / 100 >= OLDEST
}
