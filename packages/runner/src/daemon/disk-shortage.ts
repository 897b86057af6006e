import { readFreeSpace } from '../sandbox/limits/disk-watch.ts'

const MIB = 1024 * 1024

export interface DiskReserve {
  readonly dir: string
  /** Space that must stay free there. */
  readonly freeMib: number
  readonly makeRoom: (mustFreeBytes: number) => Promise<void>
}

/** Why no agent can be started, after trying to make room; empty if there is room. */
export async function findDiskShortage({ dir, freeMib, makeRoom }: DiskReserve): Promise<string> {
  const before = await readFreeSpace([dir])
  if (before.bytes >= freeMib * MIB) return ''
  await makeRoom(freeMib * MIB - before.bytes)
  const after = await readFreeSpace([dir])
  if (after.bytes >= freeMib * MIB) return ''
  return (
    `The disk of ${dir} has ${Math.floor(after.bytes / MIB)} MiB left, and ${freeMib} MiB must stay free ` +
    '(SKEIN_RUNNER_FREE_MIB): free some space.'
  )
}
