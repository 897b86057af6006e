import type { Catalog, KindDescription, Resource } from '@skein/client'
import type { WrittenResource } from '@skein/documents'
import { rankOf } from './plan-changes.ts'

/** Keys die with these and limits fall with those: whoever wants that says so for each, with skein delete. */
const NEVER_PRUNED: ReadonlySet<string> = new Set(['token', 'secret', 'quota', 'share-link', 'integration'])

/** How far back it is looked for whether a set ever wrote a resource. */
const VERSIONS = 50

export interface PrunePlan {
  /** What refers to others comes first. */
  readonly doomed: readonly Resource[]
  /** What the set wrote once and somebody else has changed since. */
  readonly changed: readonly Resource[]
}

/** Begins the justification of every write, so that the history tells which set a resource came from. */
export function markOf(set: string): string {
  return `skein apply --set ${set}`
}

/** What the set wrote earlier and no longer has. Reads only. */
export async function planPrune(
  catalog: Catalog,
  kinds: readonly KindDescription[],
  kept: readonly WrittenResource[],
  set: string,
): Promise<PrunePlan> {
  const isKept = new Set(kept.map(({ kind, name }) => `${kind}/${name}`))
  const doomed: Resource[] = []
  const changed: Resource[] = []
  for (const { kind } of kinds.filter((description) => !NEVER_PRUNED.has(description.kind))) {
    for await (const resource of catalog.list(kind)) {
      if (resource.isBuiltIn || isKept.has(`${kind}/${resource.name}`)) continue
      const origin = await findOrigin(catalog, resource, set)
      if (origin === 'set') doomed.push(resource)
      if (origin === 'changed') changed.push(resource)
    }
  }
  return { doomed: doomed.toSorted((left, right) => rankOf(right) - rankOf(left)), changed }
}

/** Whether the set wrote the version that is there, or one before it in the same life. */
async function findOrigin(
  catalog: Catalog,
  { kind, name, generation }: Resource,
  set: string,
): Promise<'set' | 'changed' | 'other'> {
  let seen = 0
  for await (const version of catalog.history(kind, name, { pageSize: VERSIONS })) {
    if (version.action === 'ACTION_DELETED' || (seen += 1) > VERSIONS) break
    if (isMarked(version.justification, set)) return version.generation === generation ? 'set' : 'changed'
  }
  return 'other'
}

function isMarked(justification: string, set: string): boolean {
  const mark = markOf(set)
  return justification === mark || justification.startsWith(`${mark}: `)
}
