import { readdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { findSystemProgram } from '../environment.ts'
import type { SandboxLimits } from '../sandbox.ts'

/**
 * A command prefix that sets limits; empty without prlimit. None for memory: agents map about 5 GB they never use,
 * so neither address space nor data can be limited.
 */
export function limitCommand(limits: SandboxLimits, processes: number): string[] {
  const prlimit = findSystemProgram('prlimit')
  if (!prlimit) return []
  const nproc = processes === 0 ? [] : [`--nproc=${processes}`]
  return [prlimit, '--core=0', `--fsize=${limits.fileSizeMib * 1024 * 1024}`, ...nproc, '--']
}

/** The kernel exempts root from this limit, even as another user in a namespace. */
export function canLimitProcesses(): boolean {
  return process.platform === 'linux' && process.getuid?.() !== 0 && hasRlimits()
}

/** Since Linux 5.14 a user namespace counts its own processes. Before that, all of the user's on the host count. */
export function canLimitProcessesPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return canLimitProcesses() && (major > 5 || (major === 5 && minor >= 14))
}

/** This user's tasks on the host: outside a namespace, the limit counts those too. */
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

/** Per-process limits need a program to set them. */
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
