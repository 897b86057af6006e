import type { AuditEntry } from '@skein/client'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { registerAuditExport } from './audit-export.ts'

interface AuditOptions {
  readonly operation?: string
  readonly kind?: string
  readonly name?: string
  readonly account?: string
  readonly since?: string
  readonly limit: number
}

export function registerAudit(program: Command, context: CommandContext): void {
  const command = program
    .command('audit')
    .summary('show who changed what')
    .description('Newest first. With --json each entry is one line.')
    .option('--operation <name>', 'only this operation, such as killAgent or refuseKey')
    .option('--kind <kind>', 'only changes to resources of this kind')
    .option('--name <name>', 'only changes to resources with this name')
    .option('--account <account>', 'only changes by this account')
    .option('--since <span>', 'look back this far, such as 24h')
    .option('--limit <number>', 'maximum number of entries', parseLimit, 100)
  withExample(command, 'skein audit --kind token --since 7d').action(async (options: AuditOptions) => {
    const { operation, kind, name, account, since, limit } = options
    const filter = {
      ...(operation !== undefined && { operation }),
      ...(kind !== undefined && { kind }),
      ...(name !== undefined && { name }),
      ...(account !== undefined && { account }),
      ...(since !== undefined && { startTime: new Date(Date.now() - parseSpan(since)).toISOString() }),
    }
    let count = 0
    for await (const entry of (await context.skein()).audit(filter)) {
      context.printLine(entry, () => {
        const time = context.io.paint('dim', entry.time)
        return `${time}  ${entry.account} (${entry.role})  ${entry.operation}  ${describe(entry)}`
      })
      count++
      if (count >= limit) break
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
