import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'

export function registerStop(program: Command, context: CommandContext): void {
  const command = program
    .command('stop')
    .summary('stop the run in progress; the agent stays alive')
    .description('Targets the current run, so a late stop never affects the next one.')
    .argument('<agent>', 'workspace/agent/child')
    .option('--now', 'do not let the run finish what it is doing')
    .option('--run <number>', 'only if this run is still the current one')
  withExample(command, 'skein stop shop/release').action(
    async (name: string, options: { readonly now?: true; readonly run?: string }) => {
      const agent = await context.agent(name)
      const mode = options.now ? 'STOP_TURN_MODE_KILL' : 'STOP_TURN_MODE_INTERRUPT'
      const { runId } = await agent.stop({ mode, runId: options.run })
      context.print({ agent: agent.name, runId, mode }, () => `Stopping run ${runId} of ${agent.name}.`)
    },
  )
}
