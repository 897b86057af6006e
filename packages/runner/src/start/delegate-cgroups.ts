import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { controllers, delegatedName, findOwnGroups } from '../sandbox/limits/cgroup-places.ts'
import type { RunnerUser } from './runner-user.ts'

/**
 * Delegates a cgroup to the user the runner becomes, so that sandboxes can have limits that only root may set up. If
 * that fails, the runner enforces fewer limits and says so.
 */
export function delegateCgroups(user: RunnerUser): void {
  for (const { dir, isUnified } of findOwnGroups(readOwn('cgroup'), readOwn('mountinfo'))) {
    removeAbandoned(dir)
    const group = join(dir, delegatedName(process.pid))
    if (!attempt(() => mkdirSync(group))) continue
    if (isUnified && !moveIntoLeaf(dir, group, user)) continue
    handOver(group, user)
  }
}

/** In version 2 a group with processes cannot have limited children: the runner moves into a child next to theirs. */
function moveIntoLeaf(dir: string, group: string, user: RunnerUser): boolean {
  const leaf = join(group, 'runner')
  const isIn = attempt(() => {
    mkdirSync(leaf)
    writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid))
  })
  for (const parent of [dir, group]) {
    for (const controller of controllers) {
      attempt(() => writeFileSync(join(parent, 'cgroup.subtree_control'), `+${controller}`))
    }
  }
  handOver(leaf, user)
  if (isIn && readFileSync(join(group, 'cgroup.subtree_control'), 'utf8').trim() !== '') return true
  // Our group has other processes, or no controllers: then it is of no use.
  attempt(() => writeFileSync(join(dir, 'cgroup.procs'), String(process.pid)))
  attempt(() => rmdirSync(leaf))
  attempt(() => rmdirSync(group))
  return false
}

/** Only what is needed to create groups below and move processes. The group's own limits stay root's. */
function handOver(group: string, { uid, gid }: RunnerUser): void {
  for (const file of ['', 'cgroup.procs', 'cgroup.threads', 'cgroup.subtree_control', 'tasks']) {
    const path = join(group, file)
    if (existsSync(path)) attempt(() => chownSync(path, uid, gid))
  }
}

/** A runner cannot remove its own group when it exits. */
function removeAbandoned(dir: string): void {
  for (const name of listGroups(dir)) {
    const [, pid] = /^skein-runner-(\d+)$/.exec(name) ?? []
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    const group = join(dir, name)
    for (const child of listGroups(group)) attempt(() => rmdirSync(join(group, child)))
    attempt(() => rmdirSync(group))
  }
}

function listGroups(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}

function readOwn(file: string): string {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function attempt(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
