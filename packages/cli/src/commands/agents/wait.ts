import type { AgentStatus } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { exitCodeForPhase, exitCodeOf } from '../../exit-codes.ts'
import { reportOutcome } from '../../output/outcome.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface WaitOptions {
  readonly any?: true
  readonly all?: true
  readonly timeout?: string
}

interface Outcome {
  readonly agent: string
  readonly reason: string
  readonly status: AgentStatus
}

export function registerWait(program: Command, context: CommandContext): void {
  const command = program
    .command('wait')
    .summary('wait until agents complete, fail or need you')
    .description(
      'Prints each agent when it ends or waits for you. Exit code: 0 if all completed or wait for you, ' +
        '10 if one failed, 11 if one was killed.',
    )
    .argument('<agents...>', 'workspace/agent/child')
    .option('--all', 'wait for all of them (the default)')
    .option('--any', 'wait for the first of them')
    .option('--timeout <span>', 'give up after this time, such as 10m')
  withExample(command, 'skein wait --any shop/release shop/docs').action(
    async (names: readonly string[], options: WaitOptions) => {
      if (options.any && options.all)
        throw new UsageError('--any and --all cannot be combined.', 'Use one of them.')
      const limit = options.timeout === undefined ? {} : { timeoutMs: parseSpan(options.timeout) }
      const rest = new AbortController()
      const outcomes: Outcome[] = []
      const waits = names.map(async (name) => {
        const agent = await context.agent(name)
        const { reason, status } = await agent.wait({ signal: rest.signal, ...limit })
        outcomes.push({ agent: agent.name, reason, status })
        if (!context.isJson) context.io.print(reportOutcome(context.io, status))
      })
      try {
        await (options.any ? Promise.race(waits) : Promise.all(waits))
      } finally {
        rest.abort()
        await Promise.allSettled(waits)
      }
      if (context.isJson) context.print({ results: outcomes }, () => '')
      context.exitCode = Math.max(...outcomes.map(exitCodeForOutcome))
    },
  )
}

function exitCodeForOutcome({ reason, status }: Outcome): number {
  return reason === 'WAIT_REASON_UNSPECIFIED' ? exitCodeOf('waitTimedOut') : exitCodeForPhase(status.phase)
}
