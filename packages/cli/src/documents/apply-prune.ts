import type { Resource } from '@skein/client'
import { isName } from '@skein/contract/facts'
import type { WrittenResource } from '@skein/resource-files'
import { confirm } from '../ask.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { exitCodeForCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { justify, type Applied, type ApplyOptions } from './applied.ts'
import type { PrunePlan } from './plan-prune.ts'
import { pruneResources } from './prune-resources.ts'

/** Checks everything that can be rejected before the first write. */
export function requirePrunable(io: Io, { set, prune, yes, dryRun }: ApplyOptions): void {
  if (set !== undefined && !isName(set)) {
    throw new UsageError(`${set} is not a valid set name.`, 'Use lowercase letters, digits and hyphens.')
  }
  if (!prune) return
  if (set === undefined) {
    throw new UsageError(
      '--prune needs to know which resources are yours to delete.',
      'Name the set with --set, every time you apply these files.',
    )
  }
  if (!yes && !dryRun && !io.canAsk) {
    throw new UsageError(
      'Not a terminal, so you cannot be asked to confirm.',
      'Check with --dry-run, then add --yes.',
    )
  }
}

/** An emptied or mistyped folder must not empty the catalog. */
export function requireSome(resources: readonly WrittenResource[]): readonly WrittenResource[] {
  if (resources.length > 0) return resources
  throw new UsageError(
    'These files contain no resources.',
    'To delete everything in a set, use skein delete.',
  )
}

/** After the writes, which may have removed references to these. */
export async function applyPrune(
  context: CommandContext,
  { doomed, changed }: PrunePlan,
  written: readonly Applied[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const kept = changed.map((resource) =>
    toApplied(resource, 'keep', 'someone has changed it since the set wrote it'),
  )
  for (const { kind, name, message } of kept) context.note(`${kind}/${name} is kept: ${message}.`)
  if (!context.isJson) for (const resource of doomed) context.io.print(formatDeletion(context.io, resource))
  if (doomed.length === 0) return kept
  if (options.dryRun) return [...kept, ...doomed.map((resource) => toApplied(resource, 'delete', ''))]
  if (written.some(({ action }) => action === 'conflict' || action === 'error')) {
    context.io.note('Nothing was deleted, because not everything could be written.')
    return [
      ...kept,
      ...doomed.map((resource) => toApplied(resource, 'keep', 'not everything could be written')),
    ]
  }
  const question = doomed.length === 1 ? 'Delete it?' : `Delete these ${doomed.length}?`
  if (!options.yes && !(await confirm(context.io, question))) {
    return [...kept, ...doomed.map((resource) => toApplied(resource, 'keep', 'it was not confirmed'))]
  }
  const { catalog } = await context.skein()
  const pruned = await pruneResources(catalog, doomed, justify(options) ?? '')
  for (const { resource, action, message, error } of pruned) {
    if (!error) continue
    const title = action === 'keep' ? 'Kept:' : action === 'conflict' ? 'Conflict:' : 'Error:'
    context.io.note(`${context.io.paint('red', title)} ${resource.kind}/${resource.name}: ${message}`)
    context.exitCode = Math.max(context.exitCode, exitCodeForCode(error.code))
  }
  return [...kept, ...pruned.map(({ resource, action, message }) => toApplied(resource, action, message))]
}

function toApplied(
  { kind, name, generation }: Resource,
  action: Applied['action'],
  message: string,
): Applied {
  return { kind, name, action, generation, message }
}

function formatDeletion(io: Io, { kind, name, generation }: Resource): string {
  return io.paint('bold', `- ${kind}/${name}`) + io.paint('red', ` (at ${generation})`)
}
