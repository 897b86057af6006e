import type { Bug } from './bug.ts'

/** Those with these names; all if there are none. */
export function chooseBugs(bugs: readonly Bug[], names: readonly string[]): readonly Bug[] {
  const unknown = names.filter((name) => bugs.every((bug) => bug.name !== name))
  if (unknown.length > 0) throw new Error(`No such bug: ${unknown.join(', ')}`)
  return names.length === 0 ? bugs : bugs.filter(({ name }) => names.includes(name))
}
