import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  choosePostgresUser,
  findPostgresBinaries,
  readMajorVersion,
  type PostgresBinaries,
  type UnixUser,
} from './postgres-binaries.ts'

/** Our directory: PostgreSQL's data and the superuser's password. */
export interface PostgresCluster {
  readonly binaries: PostgresBinaries
  readonly user: UnixUser | undefined
  readonly pgdata: string
  readonly superuser: { readonly name: string; readonly password: string }
}

export const processEnvironment = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

export interface PrepareClusterOptions {
  readonly directory: string
  readonly durable: boolean
  /** Gets the pid of initdb: deleting its data while it runs would make it crash and leak shared memory. */
  readonly watch: (pid: number) => void
}

/** Creates the cluster unless the directory already contains one. */
export async function prepareCluster(options: PrepareClusterOptions): Promise<PostgresCluster> {
  const { directory } = options
  const binaries = findPostgresBinaries()
  const pgdata = join(directory, 'pgdata')
  const passwordFile = join(directory, 'password')
  const user = await choosePostgresUser(pgdata)
  if (!existsSync(pgdata)) {
    // Only the directory itself is private: PostgreSQL's user must be able to traverse its parents.
    await mkdir(dirname(directory), { recursive: true })
    if (!existsSync(directory)) await mkdir(directory, { mode: 0o700 })
    await writeFile(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 })
    if (user !== undefined) {
      await Promise.all([directory, passwordFile].map((path) => chown(path, user.uid, user.gid)))
    }
    await initialise({ ...options, binaries, user, pgdata, passwordFile })
  }
  const password = await readFile(passwordFile, 'utf8')
  return { binaries, user, pgdata, superuser: { name: 'postgres', password } }
}

interface InitialiseOptions extends PrepareClusterOptions, Omit<PostgresCluster, 'superuser'> {
  readonly passwordFile: string
}

async function initialise(options: InitialiseOptions): Promise<void> {
  const { binaries, user, pgdata, passwordFile, durable, watch } = options
  // Renamed when complete, so that an interrupted initdb doesn't pass for a cluster at the next start.
  const unfinished = `${pgdata}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  const running = promisify(execFile)(
    binaries.initdb,
    [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...optionsOf(await readMajorVersion(binaries)),
      ...(durable ? [] : ['--no-sync']),
    ],
    { ...user, env: processEnvironment, timeout: 120_000 },
  )
  watch(running.child.pid ?? 0)
  await running.finally(() => watch(0))
  await rename(unfinished, pgdata)
}

function optionsOf(majorVersion: number): string[] {
  return [
    // The passwords are random, so stretching them would only slow down connections.
    ...(majorVersion >= 16 ? ['--set=scram_iterations=1'] : []),
    // The same sort order on every machine, whatever its locales. Before 17 the libc's C sorts the same way.
    ...(majorVersion >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--lc-ctype=C.UTF-8']),
  ]
}
