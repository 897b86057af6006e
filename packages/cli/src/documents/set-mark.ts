import type { Catalog } from '@skein/client'

/** Keys die with these and limits fall with those: whoever wants that says so for each, with skein delete. */
const NEVER_PRUNED: ReadonlySet<string> = new Set([
  'token',
  'secret',
  'quota',
  'ceiling',
  'share-link',
  'integration',
])

/** How far back the newest mark is looked for. */
const VERSIONS = 50

const MARK = /^skein apply --set ([a-z0-9-]+)(?:$|: )/

interface Mark {
  readonly set: string
  /** The version that bears it. */
  readonly generation: string
}

/** Begins the justification of every write, so that the history tells which set a resource came from. */
export function markOf(set: string): string {
  return `skein apply --set ${set}`
}

/** Only what can be deleted needs an owner. */
export function isPrunable(kind: string): boolean {
  return !NEVER_PRUNED.has(kind)
}

/** The set that wrote a resource last, in its present life. */
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
