import type { RunnerEntry } from '@skein/client'
import type { Command } from 'commander'
import { backendName } from '../backend-names.ts'
import type { CommandContext } from '../command-context.ts'
import { withExample } from '../examples.ts'
import type { Io } from '../io.ts'
import { formatAge } from '../output/facts.ts'
import { formatTable } from '../output/table.ts'

export function registerRunners(program: Command, context: CommandContext): void {
  const command = program
    .command('runners')
    .summary('list runners, what they serve and when they were last seen')
    .description('Those that were seen in the last ten minutes. `skein doctor` says what a runner lacks.')
  withExample(command, 'skein runners').action(async () => {
    const runners = await (await context.skein()).runners()
    context.print({ runners }, () =>
      runners.length === 0
        ? 'No runner was seen in the last ten minutes. Find out more with: skein doctor'
        : formatRunners(context.io, runners, Date.now()),
    )
  })
}

function formatRunners(io: Io, runners: readonly RunnerEntry[], nowMs: number): string {
  const titles = ['RUNNER', 'STATE', 'POOLS', 'BACKENDS', 'SANDBOXES', 'SLOTS', 'SEEN', 'BUILD']
  return formatTable([
    titles.map((title) => io.paint('dim', title)),
    ...runners.map((runner) => [
      runner.name,
      runner.isOnline ? io.paint('green', 'online') : io.paint('red', 'offline'),
      runner.pools.join(', '),
      namesOf(runner.backends).map(backendName).join(', ') || '-',
      namesOf(runner.sandboxes).join(', ') || '-',
      runner.capacity > 0 ? String(runner.capacity) : '-',
      `${formatAge(runner.seenTime, nowMs)} ago`,
      runner.build,
    ]),
  ])
}

/** Those that work. */
function namesOf(parts: readonly { readonly name: string; readonly problem: string }[]): string[] {
  return parts.filter(({ problem }) => problem === '').map(({ name }) => name)
}
