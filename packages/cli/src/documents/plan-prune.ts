import type { Catalog, KindDescription, Resource } from '@skein/client'
import type { WrittenResource } from '@skein/resource-files'
import { rankOf } from './plan-changes.ts'
import { findMark, isPrunable } from './set-mark.ts'

export interface PrunePlan {
  /** Referring resources first. */
  readonly doomed: readonly Resource[]
  /** Written by the set, and changed by someone else since. */
  readonly changed: readonly Resource[]
}

/** What the set wrote earlier and no longer contains, unless another set has written it since. Reads only. */
export async function planPrune(
  catalog: Catalog,
  kinds: readonly KindDescription[],
  kept: readonly WrittenResource[],
  set: string,
): Promise<PrunePlan> {
  const isKept = new Set(kept.map(({ kind, name }) => `${kind}/${name}`))
  const doomed: Resource[] = []
  const changed: Resource[] = []
  for (const { kind } of kinds.filter((description) => isPrunable(description.kind))) {
    for await (const resource of catalog.list(kind)) {
      if (resource.isBuiltIn || isKept.has(`${kind}/${resource.name}`)) continue
      const mark = await findMark(catalog, kind, resource.name)
      if (mark?.set !== set) continue
      if (mark.generation === resource.generation) doomed.push(resource)
      else changed.push(resource)
    }
  }
  return { doomed: doomed.toSorted((left, right) => rankOf(right) - rankOf(left)), changed }
}
