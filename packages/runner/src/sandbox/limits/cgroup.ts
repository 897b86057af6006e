import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { controllers, findCgroupPlaces, type CgroupLimit, type CgroupPlace } from './cgroup-places.ts'
import { settingsFor } from './cgroup-settings.ts'

/** 0 means no limit. */
export type CgroupLimits = Readonly<Record<CgroupLimit, number>>

/** The kernel's accounting for all processes of a sandbox, as far as the runner may use it. */
export interface Cgroup {
  /** The requested limits that it actually enforces. */
  readonly holds: ReadonlySet<CgroupLimit>
  /** Adds a process that has not started others yet. */
  admit(pid: number): boolean
  /** Adds a process that is in it already, which changes nothing. Does not block, and never rejects. */
  readmit(pid: number): Promise<void>
  /** How many processes the kernel killed because the group was out of memory. */
  countMemoryKills(): number
  /** Only after all its processes are gone. */
  remove(): Promise<void>
}

interface OpenGroup {
  readonly dir: string
  readonly held: readonly CgroupLimit[]
}

export async function createCgroup(
  name: string,
  limits: CgroupLimits,
  places?: readonly CgroupPlace[],
): Promise<Cgroup> {
  const holds = new Set<CgroupLimit>()
  const dirs: string[] = []
  for (const place of places ?? (await findOwnPlaces())) {
    const wanted = place.limits.filter((limit) => limits[limit] > 0 && !holds.has(limit))
    if (wanted.length === 0) continue
    const group = await openGroup(join(place.dir, name), { ...place, limits: wanted }, limits)
    for (const limit of group.held) holds.add(limit)
    if (group.held.length > 0) dirs.push(group.dir)
  }
  return {
    holds,
    admit: (pid) => {
      preferAsVictim(pid)
      return dirs.every((dir) => enter(dir, pid))
    },
    readmit: async (pid) => {
      for (const dir of dirs) await attempt(writeFile(join(dir, 'cgroup.procs'), String(pid)))
    },
    countMemoryKills: () => Math.max(0, ...dirs.map(readMemoryKills)),
    remove: async () => {
      for (const dir of dirs) await removeGroup(dir)
    },
  }
}

async function findOwnPlaces(): Promise<CgroupPlace[]> {
  return findCgroupPlaces({
    membership: await readOwn('cgroup'),
    mounts: await readOwn('mountinfo'),
    isRoot: process.getuid?.() === 0,
    pid: process.pid,
  })
}

async function readOwn(file: string): Promise<string> {
  return readFile(`/proc/self/${file}`, 'utf8').catch(() => '')
}

/** Enforces nothing if it cannot be used. Then nothing is left of the attempt. */
async function openGroup(dir: string, place: CgroupPlace, limits: CgroupLimits): Promise<OpenGroup> {
  if (place.isUnified) {
    const control = join(place.dir, 'cgroup.subtree_control')
    for (const controller of controllers) await attempt(writeFile(control, `+${controller}`))
  }
  if (!(await attempt(mkdir(dir)))) return { dir, held: [] }
  const held: CgroupLimit[] = []
  for (const limit of place.limits) {
    if (await setLimit(dir, limit, limits[limit], place.isUnified)) held.push(limit)
  }
  if (held.length > 0 && (await canEnterIn(place.dir, dir))) return { dir, held }
  await removeGroup(dir)
  return { dir, held: [] }
}

async function setLimit(
  dir: string,
  limit: CgroupLimit,
  value: number,
  isUnified: boolean,
): Promise<boolean> {
  for (const { file, value: text, isOptional = false } of settingsFor(limit, value, isUnified)) {
    const isSet = await attempt(writeFile(join(dir, file), text))
    if (!isSet && !isOptional) return false
  }
  return true
}

async function attempt(work: Promise<unknown>): Promise<boolean> {
  return work.then(() => true).catch(() => false)
}

/** Places where a process could once be moved into a new group. Whether each can is checked when it starts. */
const entered = new Set<string>()

async function canEnterIn(place: string, dir: string): Promise<boolean> {
  if (!entered.has(place) && (await canEnter(dir))) entered.add(place)
  return entered.has(place)
}

/** Being allowed to create a group doesn't imply being allowed to move a process into it. */
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

/** First version 2's file, then version 1's. */
function readMemoryKills(dir: string): number {
  for (const file of ['memory.events', 'memory.oom_control']) {
    try {
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(dir, file), 'utf8'))?.[1] ?? 0)
    } catch {
      // Not the one that limits memory.
    }
  }
  return 0
}

/** When the host runs out of memory, the kernel should kill an agent's process, not the runner. */
function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // Not available on this system, and only an improvement.
  }
}

/** The kernel releases ended processes a moment later. A group that remains is empty and harmless. */
async function removeGroup(dir: string): Promise<void> {
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
