import { readdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { findSystemProgram } from '../environment.ts'
import type { SandboxLimits } from '../sandbox.ts'

/**
 * The start of a command line that runs the rest of it under limits; empty without prlimit. There is none for memory:
 * agents map some 5 GB that they never use, so that neither address space nor data can be limited.
 */
export function limitCommand(limits: SandboxLimits, processes: number): string[] {
  const prlimit = findSystemProgram('prlimit')
  if (!prlimit) return []
  const nproc = processes === 0 ? [] : [`--nproc=${processes}`]
  return [prlimit, '--core=0', `--fsize=${limits.fileSizeMib * 1024 * 1024}`, ...nproc, '--']
}

/** The kernel exempts root from this limit, also as another user of a namespace. */
export function canLimitProcesses(): boolean {
  return process.platform === 'linux' && process.getuid?.() !== 0 && hasRlimits()
}

/** Since Linux 5.14 a user namespace counts its own processes; before that, all of the user on the host. */
export function canLimitProcessesPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return canLimitProcesses() && (major > 5 || (major === 5 && minor >= 14))
}

/** The tasks of this user on the host: outside of a namespace the limit counts those too. */
export function countOwnTasks(): number {
  let count = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const status = readStatus(name)
    if (status.match(/^Uid:\t(\d+)/m)?.[1] !== String(process.getuid?.())) continue
    count += Number(status.match(/^Threads:\t(\d+)/m)?.[1] ?? 1)
  }
  return count
}

/** Limits that each process has for itself need a program to set them. */
export function hasRlimits(): boolean {
  return findSystemProgram('prlimit') !== undefined
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
