import { parseAgentName } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'

interface ReplayOptions {
  readonly agent?: string
  readonly from?: string
  readonly to?: string
  readonly since?: string
  readonly deadLetters?: true
}

export function registerReplay(webhooks: Command, context: CommandContext): void {
  const command = webhooks
    .command('replay')
    .summary('send events again, with the same ids')
    .argument('<name>', 'the integration')
    .option('--agent <name>', 'events of this agent')
    .option('--from <sequence>', 'with --agent: the first event')
    .option('--to <sequence>', 'with --agent: the last event')
    .option('--since <time>', 'everything since this time, such as 2026-11-17T08:00:00Z')
    .option('--dead-letters', 'all dead letters')
  withExample(command, 'skein webhooks replay chat --dead-letters').action(
    async (name: string, { agent, from, to, since, deadLetters }: ReplayOptions) => {
      const skein = await context.skein()
      const { replayId, agents } = await skein.integrations.replay(name, {
        agentId: agent === undefined ? undefined : parseAgentName(agent),
        firstSequence: from,
        lastSequence: to,
        sinceTime: since,
        deadLetters,
      })
      context.print({ replayId, agents }, () =>
        agents === 0 ? 'Nothing to replay.' : `Replaying events of ${agents} agents.`,
      )
    },
  )
}
