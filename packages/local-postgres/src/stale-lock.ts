import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '@skein/host'

/**
 * A postmaster that was killed leaves its pid in the data, and refuses to start while a process of that number runs.
 * In a container that was restarted the number soon belongs to somebody else. Only Linux can tell who it is;
 * PostgreSQL itself still refuses data whose shared memory is in use.
 */
export function removeStaleLock(pgdata: string): void {
  const lockFile = join(pgdata, 'postmaster.pid')
  const pid = readPid(lockFile)
  if (pid === undefined) return
  const command = readCommand(pid)
  if (command !== '' && !command.includes(pgdata)) rmSync(lockFile, { force: true })
}

function readPid(lockFile: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
