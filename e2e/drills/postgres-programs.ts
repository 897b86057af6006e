import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { requireProgram, type Need } from './needs.ts'

const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** The embedded PostgreSQL has no programs for backups and replication. */
export const POSTGRES: Need = {
  program: 'pg_basebackup',
  debian: 'postgresql',
  // The newest first. Not the wrapper in /usr/bin: it must be of the server's version.
  folders: listFolders(),
}

/** Lets PostgreSQL servers of this process be of the version that the programs are of. Returns the programs' folder. */
export function useDebianPostgres(): string {
  const folder = process.env['SKEIN_POSTGRES_BIN'] ?? dirname(requireProgram(POSTGRES))
  process.env['SKEIN_POSTGRES_BIN'] = folder
  return folder
}

function listFolders(): string[] {
  try {
    return readdirSync(DEBIAN_FOLDER)
      .sort((left, right) => Number(right) - Number(left))
      .map((version) => join(DEBIAN_FOLDER, version, 'bin'))
  } catch {
    return []
  }
}
