import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A killed postmaster leaves a System V segment, which only a restart on the same data would remove. */
export async function removeSharedMemory(pgdata: string): Promise<void> {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n')
    const id = lines[6]?.trim().split(/\s+/)[1]
    if (id !== undefined) await promisify(execFile)('ipcrm', ['-m', id])
  } catch {
    // No segment, or no ipcrm: 56 bytes remain until the machine restarts.
  }
}
