import type { StartingRepository } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatAge } from '../../output/facts.ts'
import { formatTable } from '../../output/table.ts'

export function registerCodeHosts(program: Command, context: CommandContext): void {
  const command = program
    .command('code-hosts')
    .summary('list repositories whose issues start agents')
    .description(
      'Shows each repository of a workspace with hostStarts. If its issues cannot be read, it shows why.',
    )
  withExample(command, 'skein code-hosts').action(async () => {
    const repositories: StartingRepository[] = []
    for await (const entry of (await context.skein()).startingRepositories()) repositories.push(entry)
    context.print({ repositories }, () => formatRepositories(context.io, repositories, Date.now()))
  })
}

function formatRepositories(io: Io, found: readonly StartingRepository[], nowMs: number): string {
  if (found.length === 0) return 'No repository starts agents: no workspace has hostStarts.'
  const table = formatTable([
    ['REPOSITORY', 'CODE HOST', 'WORKSPACE', 'STATE', 'READ UNTIL'].map((title) => io.paint('dim', title)),
    ...found.map(({ repository, codeHost, workspace, problem, readTime }) => [
      cleanText(repository),
      cleanText(codeHost),
      cleanText(workspace),
      problem === '' ? io.paint('green', 'works') : io.paint('red', 'fails'),
      `${formatAge(readTime, nowMs) || '0s'} ago`,
    ]),
  ])
  const problems = found
    .filter(({ problem }) => problem !== '')
    .map(({ repository, problem }) => `${cleanText(repository)}: ${cleanText(problem)}`)
  return [table, ...problems].join('\n\n')
}
