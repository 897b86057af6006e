import { readdirSync, readFileSync } from 'node:fs'

export interface ChildProcess {
  readonly pid: number
  readonly command: string
}

/** Direct children that still run. Only Linux can tell; elsewhere the answer is always empty. */
export function listChildProcesses(parentPid: number): ChildProcess[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => {
      const status = readStatus(pid)
      return status?.parentPid === parentPid && status.state !== 'Z'
    })
    .map((pid) => ({ pid, command: readCommand(pid) }))
}

/** A zombie is not alive: in a container without an init process nobody may ever reap it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return readStatus(pid)?.state !== 'Z'
}

function readStatus(pid: number): { state: string; parentPid: number } | undefined {
  // "pid (name) state parent …", where the name itself may contain blanks and parentheses.
  const stat = readProc(pid, 'stat')
  const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state && parentPid ? { state, parentPid: Number(parentPid) } : undefined
}

/** Empty when there is no such process, or nobody can tell. */
export function readCommand(pid: number): string {
  return readProc(pid, 'cmdline').split('\0').join(' ').trim()
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
