import { isDeepStrictEqual } from 'node:util'
import { SkeinApiError, type Catalog, type KindDescription, type Resource } from '@skein/client'
import {
  comparable,
  formatResource,
  normalize,
  writeOnlyFields,
  type Document,
  type WrittenResource,
} from '@skein/resource-files'
import { nearestName } from '../command-line/nearest-name.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { findMark, isPrunable } from './set-mark.ts'

export interface Change {
  readonly resource: WrittenResource
  readonly kind: KindDescription
  /** adopt: the content matches the file, but the set hasn't written it. */
  readonly action: 'create' | 'update' | 'adopt' | 'unchanged'
  /** The generation the write requires. */
  readonly ifGeneration: string
  readonly before: string
  readonly after: string
  /** Write-only fields, which cannot be compared. */
  readonly unknowable: readonly string[]
}

/** Referenced kinds come first, and before them what permits the rest. Kinds not listed come last. */
const ORDER = [
  'ceiling',
  'secret',
  'backend',
  'vm-profile',
  'pool',
  'quota',
  'profile',
  'persona',
  'environment',
  'team',
  'code-host',
  'workspace',
]

/** Computes the writes that make the catalog match the files. Reads only. */
export async function planChanges(
  catalog: Catalog,
  kinds: readonly KindDescription[],
  resources: readonly WrittenResource[],
  set: string | undefined,
): Promise<Change[]> {
  const ordered = resources.toSorted((left, right) => rankOf(left) - rankOf(right))
  const changes: Change[] = []
  for (const resource of ordered) {
    const kind = kinds.find((description) => description.kind === resource.kind)
    if (!kind) throw unknownKind(resource, kinds)
    changes.push(await planChange(catalog, kind, resource, set))
  }
  return changes
}

export function rankOf({ kind }: { readonly kind: string }): number {
  return ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length
}

async function planChange(
  catalog: Catalog,
  kind: KindDescription,
  resource: WrittenResource,
  set: string | undefined,
): Promise<Change> {
  const current = await findResource(catalog, resource.kind, resource.name)
  const wanted = normalize(resource.document, kind.schema)
  const held = comparable(normalize(current?.document ?? {}, kind.schema), wanted, kind.schema)
  let action: Change['action'] = current === undefined ? 'create' : 'update'
  if (current !== undefined && isDeepStrictEqual(held, wanted)) {
    const isAdopted = set !== undefined && (await isAdoptable(catalog, current, set))
    action = isAdopted ? 'adopt' : 'unchanged'
  }
  const show = (document: Document): string =>
    formatResource(
      { kind: resource.kind, name: resource.name, document },
      kind.bodyField === '' ? undefined : kind.bodyField,
    )
  return {
    resource,
    kind,
    action,
    ifGeneration: resource.generation ?? current?.generation ?? '0',
    before: current === undefined ? '' : show(sortFields(held)),
    after: show(sortFields(wanted)),
    unknowable: current === undefined ? [] : writeOnlyFields(resource.document, kind.schema),
  }
}

/**
 * Whether the current version lacks the set's mark. Without it the set could never prune the resource, and a set
 * that had it before would prune it although it only moved.
 */
async function isAdoptable(
  catalog: Catalog,
  { kind, name, generation, isBuiltIn }: Resource,
  set: string,
): Promise<boolean> {
  if (isBuiltIn || !isPrunable(kind)) return false
  const mark = await findMark(catalog, kind, name)
  return mark?.set !== set || mark.generation !== generation
}

async function findResource(catalog: Catalog, kind: string, name: string) {
  try {
    return await catalog.get(kind, name)
  } catch (error) {
    if (error instanceof SkeinApiError && error.reason === 'RESOURCE_NOT_FOUND') return undefined
    throw error
  }
}

/** A different order of fields is not a difference. */
function sortFields(document: Document): Document {
  return Object.fromEntries(Object.entries(document).toSorted(([left], [right]) => left.localeCompare(right)))
}

function unknownKind({ kind, source }: WrittenResource, kinds: readonly KindDescription[]): UsageError {
  const names = kinds.map((description) => description.kind)
  const nearest = nearestName(kind, names)
  return new UsageError(
    `${source}: unknown kind ${kind}.`,
    nearest === undefined ? `The kinds are: ${names.join(', ')}.` : `Did you mean ${nearest}?`,
  )
}
