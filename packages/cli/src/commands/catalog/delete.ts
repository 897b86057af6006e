import type { Command } from 'commander'
import { confirm } from '../../ask.ts'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'

interface DeleteOptions {
  readonly yes?: true
  readonly generation?: string
  readonly justification?: string
}

export function registerDelete(program: Command, context: CommandContext): void {
  const command = program
    .command('delete')
    .summary('delete a resource; its history stays')
    .argument('<kind>', 'such as workspace or persona')
    .argument('<name>', 'the resource')
    .option('-y, --yes', 'do not ask')
    .option('--generation <number>', 'only if it is still at this generation')
    .option('--justification <text>', 'why, for the audit')
  withExample(command, 'skein delete persona reviewer').action(
    async (kind: string, name: string, { yes, generation, justification }: DeleteOptions) => {
      const { catalog } = await context.skein()
      const ifGeneration = generation ?? (await catalog.get(kind, name)).generation
      if (!yes && !(await confirm(context.io, `Delete ${kind}/${name}?`))) {
        context.note('Nothing was deleted.')
        return
      }
      await catalog.delete(kind, name, {
        ifGeneration,
        ...(justification !== undefined && { justification }),
      })
      context.print({ kind, name, deleted: true }, () => `Deleted ${kind}/${name}.`)
    },
  )
}
