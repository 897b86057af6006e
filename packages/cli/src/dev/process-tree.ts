import { readdirSync, readFileSync } from 'node:fs'

/** A process and everything below it that still has its parent, the deepest last. Only Linux can tell. */
export function listProcessTree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const [pid, parent] of readParents()) children.set(parent, [...(children.get(parent) ?? []), pid])
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

function readParents(): [pid: number, parent: number][] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => [Number(entry), readParent(entry)])
}

function readParent(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // "pid (name) state parent …", where the name itself may contain blanks and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
