import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Process ids are reused, but not with the same start time. */
  readonly startedAt: string
  /** A zombie is dead: its parent may never reap it, as in a container without an init process. */
  readonly isZombie: boolean
}

/** All processes of this host, including zombies. Empty on a system without /proc. */
export function listProcesses(): ProcessEntry[] {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== undefined)
}

/** Undefined if the process does not exist, or this platform cannot tell. */
export function readProcess(pid: number): ProcessEntry | undefined {
  // "pid (name) state parent group session …". The name itself may contain spaces and parentheses.
  const stat = readProcessFile(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent, group, session] = fields
  if (state === '') return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    // Field 22 of the whole line.
    startedAt: fields[19] ?? '',
    isZombie: 'ZX'.includes(state),
  }
}

/** Empty if the process does not exist, or we may not read it. */
export function readProcessFile(pid: number, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
