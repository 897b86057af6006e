import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { exitCodeForPhase } from '../../exit-codes.ts'
import { followAgent, printEvent } from '../../follow-agent.ts'
import { EventNarrator } from '../../output/event-lines.ts'

interface LogsOptions {
  readonly follow?: true
  readonly after?: string
}

export function registerLogs(program: Command, context: CommandContext): void {
  const command = program
    .command('logs')
    .summary('show what an agent said and did')
    .description(
      'With --json each event is one line, with its sequence number: ' +
        'pass the last one to --after to continue from there.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .option('-f, --follow', 'keep following until the agent waits or ends')
    .option('--after <sequence>', 'only events after this one')
  withExample(command, 'skein logs --follow shop/release').action(
    async (name: string, { follow, after }: LogsOptions) => {
      const agent = await context.agent(name)
      const from = after === undefined ? {} : { after }
      if (follow) {
        context.exitCode = exitCodeForPhase(await followAgent(context, agent, from))
        return
      }
      const narrator = new EventNarrator(context.io)
      for await (const event of agent.timeline(from)) printEvent(context, narrator, event)
    },
  )
}
