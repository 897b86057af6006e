import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

export interface SandboxProcessEntry {
  readonly pid: number
  readonly command: string
}

/** Processes on this host that carry the text in their environment or their command line. */
export function findProcesses(text: string): SandboxProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['environ', 'cmdline'].some((file) => readProc(pid, file).includes(text)))
    .filter((pid) => isRunning(pid))
    .map((pid) => ({ pid: Number(pid), command: readProc(pid, 'cmdline').replaceAll('\0', ' ').trim() }))
}

/** By the file name of what runs in it: `tail`, `claude`. */
export function findProgram(name: string, text: string): SandboxProcessEntry[] {
  return findProcesses(text).filter(({ command }) => basename(command.split(' ', 1)[0] ?? '') === name)
}

/** A zombie is dead: who has to collect it may never do so. */
function isRunning(pid: string): boolean {
  const stat = readProc(pid, 'stat')
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
  return state !== '' && state !== 'Z' && state !== 'X'
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
