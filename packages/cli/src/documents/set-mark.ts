import type { Catalog } from '@skein/client'

/** Deleting these would invalidate keys or lift limits. That must be done explicitly, with skein delete. */
const NEVER_PRUNED: ReadonlySet<string> = new Set([
  'token',
  'secret',
  'quota',
  'ceiling',
  'share-link',
  'integration',
  'trigger',
])

/** How many versions to search for the newest mark. */
const VERSIONS = 50

const MARK = /^skein apply --set ([a-z0-9-]+)(?:$|: )/

interface Mark {
  readonly set: string
  /** The version with the mark. */
  readonly generation: string
}

/** Starts the justification of every write, so that the history shows which set a resource came from. */
export function markOf(set: string): string {
  return `skein apply --set ${set}`
}

/** Only prunable resources need an owner. */
export function isPrunable(kind: string): boolean {
  return !NEVER_PRUNED.has(kind)
}

/** The set that last wrote a resource since it was created. */
export async function findMark(catalog: Catalog, kind: string, name: string): Promise<Mark | undefined> {
  let seen = 0
  for await (const { action, generation, justification } of catalog.history(kind, name, {
    pageSize: VERSIONS,
  })) {
    if (action === 'ACTION_DELETED' || (seen += 1) > VERSIONS) break
    const set = MARK.exec(justification)?.[1]
    if (set !== undefined) return { set, generation }
  }
  return undefined
}
