import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Process ids come again, but not with the same time of start. */
  readonly startedAt: string
  /** A zombie is dead: whoever has to reap it may never do so, as in a container without an init process. */
  readonly isZombie: boolean
}

/** Every process of this host, zombies included. Empty on a system without /proc. */
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

/** Undefined when there is no such process, or nobody can tell. */
export function readProcess(pid: number): ProcessEntry | undefined {
  // "pid (name) state parent group session …", where the name itself may contain blanks and parentheses.
  const stat = readProcessFile(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent, group, session] = fields
  if (state === '') return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    // The 22nd field of all.
    startedAt: fields[19] ?? '',
    isZombie: 'ZX'.includes(state),
  }
}

/** Empty when there is no such process, or it is not ours to read. */
export function readProcessFile(pid: number, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
