import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findCgroupPlaces, type CgroupPlace } from './cgroup-places.ts'
import type { SandboxLimits } from './sandbox.ts'

/** The kernel's own accounting for all processes of a sandbox together, as far as the runner may use it. */
export interface Cgroup {
  /** The limits that it really holds. */
  readonly holds: ReadonlySet<'processes' | 'memory'>
  /** Takes in a process that has started no other yet. */
  admit(pid: number): boolean
  /** Only once all its processes are gone. */
  remove(): Promise<void>
}

export async function createCgroup(
  name: string,
  limits: SandboxLimits,
  places?: readonly CgroupPlace[],
): Promise<Cgroup> {
  const holds = new Set<'processes' | 'memory'>()
  const dirs: string[] = []
  for (const place of places ?? (await findOwnPlaces())) {
    if (place.limits.every((limit) => holds.has(limit))) continue
    const dir = join(place.dir, name)
    const held = await openCgroup(dir, place, limits)
    for (const limit of held) holds.add(limit)
    if (held.length > 0) dirs.push(dir)
  }
  return {
    holds,
    admit: (pid) => {
      preferAsVictim(pid)
      return dirs.every((dir) => enter(dir, pid))
    },
    remove: async () => {
      for (const dir of dirs) await removeCgroup(dir)
    },
  }
}

async function findOwnPlaces(): Promise<CgroupPlace[]> {
  return findCgroupPlaces({
    membership: await readOwn('cgroup'),
    mounts: await readOwn('mountinfo'),
    isRoot: process.getuid?.() === 0,
  })
}

async function readOwn(file: string): Promise<string> {
  return readFile(`/proc/self/${file}`, 'utf8').catch(() => '')
}

/** The limits that could be set there; none when it cannot be used, and then nothing is left of the attempt. */
async function openCgroup(
  dir: string,
  place: CgroupPlace,
  limits: SandboxLimits,
): Promise<CgroupPlace['limits']> {
  if (place.isUnified) {
    const control = join(place.dir, 'cgroup.subtree_control')
    for (const controller of ['+pids', '+memory']) await attempt(writeFile(control, controller))
  }
  if (!(await attempt(mkdir(dir)))) return []
  const held: ('processes' | 'memory')[] = []
  for (const limit of place.limits) {
    const [file, value] =
      limit === 'processes' ? ['pids.max', limits.processes] : ['memory.max', limits.memoryMib * 1024 * 1024]
    if (await attempt(writeFile(join(dir, file), String(value)))) held.push(limit)
  }
  // Else what exceeds the memory goes on in the swap.
  if (held.includes('memory')) await attempt(writeFile(join(dir, 'memory.swap.max'), '0'))
  if (held.length > 0 && (await canEnter(dir))) return held
  await removeCgroup(dir)
  return []
}

async function attempt(work: Promise<unknown>): Promise<boolean> {
  return work.then(() => true).catch(() => false)
}

/** Being allowed to make a group does not yet mean being allowed to move a process there. */
async function canEnter(dir: string): Promise<boolean> {
  const visitor = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] })
  const gone = once(visitor, 'exit').catch(() => undefined)
  const isIn = visitor.pid !== undefined && enter(dir, visitor.pid)
  visitor.stdin.destroy()
  await gone
  return isIn
}

function enter(dir: string, pid: number): boolean {
  try {
    writeFileSync(join(dir, 'cgroup.procs'), String(pid))
    return true
  } catch {
    return false
  }
}

/** When the host runs out of memory the kernel ends an agent's process, and not the runner. */
function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // Not on this system: only an improvement.
  }
}

/** The kernel lets go of ended processes a moment later. A group that stays is empty and does no harm. */
async function removeCgroup(dir: string): Promise<void> {
  for (let attempts = 0; attempts < 50; attempts += 1) {
    try {
      await rmdir(dir)
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) return
    }
    await pause(10)
  }
}
