import { listProcesses, readProcess, readProcessFile } from './process-table.ts'

export interface ChildProcess {
  readonly pid: number
  readonly command: string
}

/** Direct children that still run. Only Linux can tell; elsewhere the answer is always empty. */
export function listChildProcesses(parentPid: number): ChildProcess[] {
  return listProcesses()
    .filter(({ parent, isZombie }) => parent === parentPid && !isZombie)
    .map(({ pid }) => ({ pid, command: readCommand(pid) }))
}

/** A process and everything below it that still has its parent, the deepest last. Only Linux can tell. */
export function listProcessTree(root: number): number[] {
  const children = Map.groupBy(listProcesses(), ({ parent }) => parent)
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid))
  return tree
}

/** A zombie is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return readProcess(pid)?.isZombie !== true
}

/** Empty when there is no such process, or nobody can tell. */
export function readCommand(pid: number): string {
  return readProcessFile(pid, 'cmdline').split('\0').join(' ').trim()
}
