/** Trees of four: a root with two children, one of which has a child. */
const SHAPE = ['', '/child', '/child/grandchild', '/other']

export const CHILDREN = ['child', 'other']
export const GRANDCHILD = 'child/grandchild'

export function agentPaths(prefix: string, amount: number): string[] {
  return Array.from(
    { length: amount },
    (_, index) => `${prefix}agent-${Math.floor(index / SHAPE.length)}${SHAPE[index % SHAPE.length]}`,
  )
}

export function agentId(path: string): { agent: string[]; workspace: string } {
  return { agent: path.split('/'), workspace: 'default' }
}

/** Messages that clear the queue go to some agents only, so that clears of the others can be counted exactly. */
export function isPreempted(path: string): boolean {
  return /[05]$/.test(path.split('/')[0] ?? '')
}

export function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(`${ancestor}/`)
}
