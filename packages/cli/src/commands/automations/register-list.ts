import type { Skein } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'

interface ListCommand<Entry> {
  readonly summary: string
  /** Of the list in JSON. */
  readonly field: string
  readonly read: (skein: Skein) => Promise<readonly Entry[]>
  /** What to say if there is none. */
  readonly none: string
  readonly format: (entries: readonly Entry[]) => string
}

/** `skein <parent> list` */
export function registerList<Entry>(
  parent: Command,
  context: CommandContext,
  { summary, field, read, none, format }: ListCommand<Entry>,
): void {
  const command = parent.command('list').summary(summary)
  withExample(command, `skein ${parent.name()} list`).action(async () => {
    const entries = await read(await context.skein())
    context.print({ [field]: entries }, () => (entries.length === 0 ? none : format(entries)))
  })
}
