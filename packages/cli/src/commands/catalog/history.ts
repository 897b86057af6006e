import type { ResourceVersion } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'

export function registerHistory(program: Command, context: CommandContext): void {
  const command = program
    .command('history')
    .summary('show who changed a resource and when')
    .argument('<kind>', 'such as workspace or persona')
    .argument('<name>', 'the resource')
  withExample(command, 'skein history persona reviewer').action(async (kind: string, name: string) => {
    const versions: ResourceVersion[] = []
    for await (const version of (await context.skein()).catalog.history(kind, name)) versions.push(version)
    context.print({ kind, name, versions }, () =>
      formatTable([
        ['GENERATION', 'WHAT', 'WHO', 'WHEN', 'WHY'].map((title) => context.io.paint('dim', title)),
        ...versions.map(({ generation, action, updatedBy, updateTime, justification }) => [
          generation,
          action.replace('ACTION_', '').toLowerCase(),
          updatedBy,
          updateTime,
          shorten(justification, 60),
        ]),
      ]),
    )
  })
}
