import type { PoolEntry, RunnerEntry } from '@skein/client'
import { backendName } from '@skein/contract/facts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { withExample } from '../command-line/examples.ts'
import type { Io } from '../io.ts'
import { formatAge } from '../output/facts.ts'
import { formatTable } from '../output/table.ts'

export function registerRunners(program: Command, context: CommandContext): void {
  const command = program
    .command('runners')
    .summary('list runners and the load of each pool')
    .description(
      'Shows runners seen in the last ten minutes. `skein doctor` says what a runner is missing. Also shows ' +
        'how many runs each pool has running and queued.',
    )
  withExample(command, 'skein runners').action(async () => {
    const { runners, pools } = await (await context.skein()).listRunners()
    context.print({ runners, pools }, () =>
      [formatRunners(context.io, runners, Date.now()), formatPools(context.io, pools, Date.now())]
        .filter(Boolean)
        .join('\n\n'),
    )
  })
}

function formatRunners(io: Io, runners: readonly RunnerEntry[], nowMs: number): string {
  if (runners.length === 0) {
    return 'No runner was seen in the last ten minutes. Find out why with: skein doctor'
  }
  const titles = ['RUNNER', 'STATE', 'POOLS', 'BACKENDS', 'SANDBOXES', 'SLOTS', 'LAST SEEN', 'VERSION']
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
      runner.build || '-',
    ]),
  ])
}

function formatPools(io: Io, pools: readonly PoolEntry[], nowMs: number): string {
  if (pools.length === 0) return ''
  return formatTable([
    ['POOL', 'RUNNING', 'QUEUED', 'DELAYED', 'LONGEST WAIT'].map((title) => io.paint('dim', title)),
    ...pools.map(({ name, running, queued, delayed, queuedSince }) => [
      name,
      String(running),
      queued > 0 ? io.paint('yellow', String(queued)) : '0',
      String(delayed),
      formatAge(queuedSince, nowMs) || '-',
    ]),
  ])
}

/** Names of the working ones. */
function namesOf(parts: readonly { readonly name: string; readonly problem: string }[]): string[] {
  return parts.filter(({ problem }) => problem === '').map(({ name }) => name)
}
