import { listProcesses, readProcess, readProcessFile } from './process-table.ts'

export interface ChildProcess {
  readonly pid: number
  readonly command: string
}

/** Direct children that are still running. Linux only; empty elsewhere. */
export function listChildProcesses(parentPid: number): ChildProcess[] {
  return listProcesses()
    .filter(({ parent, isZombie }) => parent === parentPid && !isZombie)
    .map(({ pid }) => ({ pid, command: readCommand(pid) }))
}

/** A process and its descendants that still have their parent, deepest last. Linux only. */
export function listProcessTree(root: number): number[] {
  const children = Map.groupBy(listProcesses(), ({ parent }) => parent)
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid))
  return tree
}

/** False for a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return readProcess(pid)?.isZombie !== true
}

/** Empty if the process does not exist, or this platform cannot tell. */
export function readCommand(pid: number): string {
  return readProcessFile(pid, 'cmdline').split('\0').join(' ').trim()
}
