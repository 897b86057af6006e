import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { formatJson, shorten } from '../../output/clean-text.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface ExportOptions {
  readonly since?: string
  readonly after?: string
}

export function registerAuditExport(audit: Command, context: CommandContext): void {
  const command = audit
    .command('export')
    .summary('write the audit log as JSON lines')
    .description(
      'Oldest first, up to a minute ago, one JSON document per line. ' +
        'The cursor for the next export is printed to standard error, so that it neither misses nor repeats entries.',
    )
    .option('--since <span>', 'how far back, such as 24h (default: everything)')
    .option('--after <cursor>', 'continue where an earlier export ended')
  withExample(command, 'skein audit export --since 30d > audit.jsonl').action(
    async (_options: ExportOptions, self: Command) => {
      refuseFilters(audit)
      // `audit` has --since as well, and Commander assigns the value to the parent.
      const { since, after } = self.optsWithGlobals<ExportOptions>()
      const skein = await context.skein()
      const startTime =
        since === undefined ? undefined : new Date(Date.now() - parseSpan(since)).toISOString()
      let end = ''
      for await (const { entries, cursor } of skein.exportAudit({ after, startTime })) {
        for (const entry of entries) context.io.print(formatJson(entry))
        end = cursor
      }
      if (end === '') return
      const next = `Continue with: skein audit export --after ${shorten(end, 1024)}`
      context.io.note(context.isJson ? formatJson({ cursor: end }) : next)
    },
  )
}

/** Commander accepts the options of `audit` here too. Ignoring them would make a full copy look like a filtered one. */
function refuseFilters(audit: Command): void {
  const given = ['operation', 'kind', 'name', 'account', 'limit', 'follow'].find(
    (name) => audit.getOptionValueSource(name) === 'cli',
  )
  if (given === undefined) return
  throw new UsageError(
    `An export can't be filtered with --${given}.`,
    'Export everything and filter the copy.',
  )
}
