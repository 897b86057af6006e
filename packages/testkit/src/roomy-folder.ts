import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
/** A test file may have a hundred databases of 14 MB, and up to three files run at the same time. */
const WANTED_BYTES = 6 * 2 ** 30

/**
 * Where a run keeps its databases: in memory if there is plenty, since a database is a thousand small files, and making
 * those on a disk takes ten times as long. Containers often have 64 MB there.
 */
export function roomyFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    const room = Math.min(bavail * bsize, process.availableMemory() / 2)
    return room >= WANTED_BYTES ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
