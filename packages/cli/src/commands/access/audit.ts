import type { AuditEntry } from '@skein/client'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { registerAuditExport } from './audit-export.ts'
import { followAudit } from './audit-follow.ts'

interface AuditOptions {
  readonly operation?: string
  readonly kind?: string
  readonly name?: string
  readonly account?: string
  readonly since?: string
  readonly limit?: number
  readonly follow?: true
  readonly after?: string
}

const LISTED = 100
const BEFORE_FOLLOWING = 10

export function registerAudit(program: Command, context: CommandContext): void {
  const command = program
    .command('audit')
    .summary('show who changed what')
    .description(
      'Newest first. With --json each entry is one line. With --follow, oldest first: the last ten entries, or all since ' +
        '--since, then each new one until you press Ctrl-C. With --json, each then has a cursor for --after.',
    )
    .option('--operation <name>', 'only this operation, such as killAgent or refuseKey')
    .option('--kind <kind>', 'only changes to resources of this kind')
    .option('--name <name>', 'only changes to resources with this name')
    .option('--account <account>', 'only changes by this account')
    .option('--since <span>', 'look back this far, such as 24h')
    .option('--limit <number>', 'maximum number of entries (default: 100)', parseLimit)
    .option('-f, --follow', 'show new entries as they are added')
    .option(
      '--after <cursor>',
      'with --follow: continue after this cursor, without missing or repeating entries',
    )
  withExample(command, 'skein audit --kind token --since 7d').action(async (options: AuditOptions) => {
    const { operation, kind, name, account, since, limit, follow, after } = options
    if (after !== undefined && follow === undefined)
      throw new UsageError('--after needs --follow.', 'Without it, the newest entries are listed.')
    if (after === '')
      throw new UsageError('--after needs a cursor.', 'Without --after, it starts with the newest entries.')
    const print = (entry: AuditEntry, document: object = entry) =>
      context.printLine(document, () => {
        const time = context.io.paint('dim', entry.time)
        return `${time}  ${entry.account} (${entry.role})  ${entry.operation}  ${describe(entry)}`
      })
    const filter = {
      ...(operation !== undefined && { operation }),
      ...(kind !== undefined && { kind }),
      ...(name !== undefined && { name }),
      ...(account !== undefined && { account }),
      ...(since !== undefined && { startTime: new Date(Date.now() - parseSpan(since)).toISOString() }),
    }
    const skein = await context.skein()
    if (follow) {
      for await (const { entry, cursor } of followAudit(skein, {
        filter,
        after,
        limit: limit ?? BEFORE_FOLLOWING,
      }))
        print(entry, { ...entry, ...(cursor !== undefined && { cursor }) })
      return
    }
    let count = 0
    for await (const entry of skein.audit(filter)) {
      print(entry)
      count++
      if (count >= (limit ?? LISTED)) break
    }
  })
  registerAuditExport(command, context)
}

function describe(entry: AuditEntry): string {
  const { kind, name, generation, address, detail, times, justification } = entry
  const what = name === '' ? kind : `${kind}/${name}`
  return [
    generation === '0' ? what : `${what}@${generation}`,
    ...(address === '' ? [] : [`from ${shorten(address, 80)}`]),
    ...(detail === '' ? [] : [shorten(detail, 80)]),
    ...(times === '1' ? [] : [`${times} times`]),
    ...(justification === '' ? [] : [shorten(justification, 80)]),
  ].join('  ')
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Use a number of at least 1.')
  return Number(text)
}
