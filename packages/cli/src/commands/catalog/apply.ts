import { SkeinApiError } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { justify, type Applied, type ApplyOptions } from '../../documents/applied.ts'
import { applyPrune, requirePrunable, requireSome } from '../../documents/apply-prune.ts'
import { diffLines } from '../../documents/diff-lines.ts'
import { explainLostSecret, findOneTimeSecret, printOneTimeSecret } from '../../documents/one-time-secret.ts'
import { findMissingReferences } from '../../documents/missing-references.ts'
import { parseResources } from '../../documents/parse-resources.ts'
import { readMarkdownKinds } from '../../documents/markdown-kinds.ts'
import { planChanges, type Change } from '../../documents/plan-changes.ts'
import { planPrune } from '../../documents/plan-prune.ts'
import { readSources } from '../../documents/read-sources.ts'
import { messageOf } from '../../errors/error-message.ts'
import { withExample } from '../../command-line/examples.ts'
import { exitCodeForCode, exitCodeOf } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'

export function registerApply(program: Command, context: CommandContext): void {
  const command = program
    .command('apply')
    .summary('update the catalog from files')
    .description(
      'Reads YAML, or Markdown with front matter, and writes what differs. Resources that someone else changes in the ' +
        'meantime are reported and not overwritten. Each resource starts with kind: and name:, or takes them from the ' +
        'names of its folder and file. With --set, each write is marked with the set’s name in its justification; ' +
        'existing resources that someone else wrote last are adopted, that is, written once more with the mark. ' +
        '--prune deletes what the set wrote and no longer contains, unless someone has changed it since. Tokens, ' +
        'secrets, quotas, ceilings, share links and integrations are never pruned. If a write creates a key, such as ' +
        'that of a token, the key is printed once.',
    )
    .requiredOption('-f, --file <path...>', 'files, folders, or - for standard input')
    .option('--dry-run', 'show what would change, without writing')
    .option('--write-secrets', 'write fields that cannot be compared, such as the value of a secret')
    .option('--justification <text>', 'why, for the audit')
    .option('--set <name>', 'a name for this set of files; use a different one for each folder')
    .option('--prune', 'delete what an earlier apply of this set wrote and the files no longer contain')
    .option('-y, --yes', 'do not ask before deleting')
  withExample(command, 'skein apply -f catalog/ --dry-run').action(async (options: ApplyOptions) => {
    requirePrunable(context.io, options)
    const { catalog } = await context.skein()
    const kinds = await catalog.kinds()
    const markdown = readMarkdownKinds(kinds)
    const sources = await readSources(context.io, options.file)
    const resources = sources.flatMap(({ source, text }) => parseResources(text, source, markdown))
    const changes = await planChanges(catalog, kinds, resources, options.set)
    const prune =
      options.prune && (await planPrune(catalog, kinds, requireSome(resources), options.set ?? ''))
    const results: Applied[] = []
    for (const change of changes) {
      const missing = options.dryRun ? await findMissingReferences(catalog, change, changes) : []
      results.push(
        missing.length > 0
          ? reportMissing(context, change, missing)
          : await applyChange(context, change, options),
      )
    }
    if (prune) results.push(...(await applyPrune(context, prune, results, options)))
    report(context, results, options)
  })
}

/** What a dry run can know about a rejection. */
function reportMissing(context: CommandContext, change: Change, missing: readonly string[]): Applied {
  const { kind, name } = change.resource
  const message = missing.join('; ')
  context.io.note(`${context.io.paint('red', 'Error:')} ${kind}/${name}: ${message}`)
  context.exitCode = exitCodeOf('usage')
  return { kind, name, action: 'error', generation: change.ifGeneration, message }
}

async function applyChange(context: CommandContext, change: Change, options: ApplyOptions): Promise<Applied> {
  const { kind, name, document } = change.resource
  const { dryRun, writeSecrets } = options
  const { action, ifGeneration, unknowable } = change
  const justification = justify(options)
  const result = (fields: Partial<Applied>): Applied => ({
    kind,
    name,
    action,
    generation: ifGeneration,
    message: '',
    ...fields,
  })
  const isForced = writeSecrets === true && unknowable.length > 0
  if (action === 'unchanged' && !isForced) {
    if (unknowable.length > 0) {
      context.note(`${kind}/${name}: ${unknowable.join(', ')} cannot be compared; --write-secrets writes it.`)
    }
    return result({})
  }
  if (!context.isJson) context.io.print(formatChange(context.io, change))
  if (dryRun) return result({ action: isForced ? 'update' : action })
  try {
    const written = await (
      await context.skein()
    ).catalog.put(kind, name, document, {
      ifGeneration,
      ...(justification !== undefined && { justification }),
    })
    const { generation } = written
    const secret = findOneTimeSecret(change.kind, written.document)
    if (secret !== undefined) printOneTimeSecret(context, change.resource, secret)
    else if (action === 'create' && change.kind.oneTimeSecret !== '') {
      context.io.note(explainLostSecret(kind, name))
    }
    return result({
      action: isForced ? 'update' : action,
      generation,
      ...(secret && { secrets: { [secret.field]: secret.value } }),
    })
  } catch (error) {
    if (!(error instanceof SkeinApiError)) throw error
    const isConflict = error.reason === 'GENERATION_MISMATCH'
    const message = isConflict ? 'someone else changed it, so it was not written' : messageOf(error)
    context.io.note(
      `${context.io.paint('red', isConflict ? 'Conflict:' : 'Error:')} ${kind}/${name}: ${message.replaceAll('\n', '\n  ')}`,
    )
    // The worst error determines the exit code.
    context.exitCode = Math.max(context.exitCode, exitCodeForCode(error.code))
    return result({ action: isConflict ? 'conflict' : 'error', message })
  }
}

function report(context: CommandContext, results: readonly Applied[], { dryRun }: ApplyOptions): void {
  const count = (action: Applied['action']): number =>
    results.filter((result) => result.action === action).length
  const parts = [
    `${count('create')} ${dryRun ? 'to create' : 'created'}`,
    `${count('update')} ${dryRun ? 'to change' : 'changed'}`,
    `${count('unchanged')} unchanged`,
  ]
  if (count('adopt') > 0) parts.push(`${count('adopt')} ${dryRun ? 'to adopt' : 'adopted'}`)
  if (count('delete') > 0) parts.push(`${count('delete')} ${dryRun ? 'to delete' : 'deleted'}`)
  if (count('keep') > 0) parts.push(`${count('keep')} kept`)
  if (count('conflict') > 0) parts.push(`${count('conflict')} in conflict`)
  if (count('error') > 0) parts.push(`${count('error')} refused`)
  context.print({ dryRun: dryRun === true, resources: results }, () => `${parts.join(', ')}.`)
  if (count('conflict') > 0) {
    context.note('See the current version with skein get, merge it into your file, and apply again.')
    context.exitCode ||= exitCodeOf('conflict')
  }
}

function formatChange(io: Io, { resource, action, before, after }: Change): string {
  if (action === 'adopt') return io.paint('bold', `= ${resource.kind}/${resource.name}`) + ' (adopt)'
  const title = io.paint('bold', `${action === 'create' ? '+' : '~'} ${resource.kind}/${resource.name}`)
  const lines = diffLines(before, after).map(({ mark, text }) => {
    const line = `  ${mark} ${text}`
    if (mark === '+') return io.paint('green', line)
    return mark === '-' ? io.paint('red', line) : io.paint('dim', line)
  })
  return [title, ...lines].join('\n')
}
