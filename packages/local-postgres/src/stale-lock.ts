import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '@skein/host'

/**
 * A killed postmaster leaves its pid in the data and refuses to start while a process with that pid runs. In a
 * restarted container the pid soon belongs to something else. Only Linux can tell what it is. PostgreSQL itself
 * still rejects data whose shared memory is in use.
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
