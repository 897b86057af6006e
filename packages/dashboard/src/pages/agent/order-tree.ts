import type { FleetEntry } from '@skein/client'

/** Parents before their children. */
export function orderTree(entries: readonly FleetEntry[]): readonly FleetEntry[] {
  return entries.toSorted((one, other) => comparePaths(pathOf(one), pathOf(other)))
}

/** A space sorts before every character of a name, so that children follow their parent. */
function comparePaths(one: string, other: string): number {
  const [left, right] = [one, other].map((path) => path.replaceAll('/', ' '))
  return left === right ? 0 : (left ?? '') < (right ?? '') ? -1 : 1
}

function pathOf({ agentId }: FleetEntry): string {
  return agentId.agent.join('/')
}
