import { isTerminal, type AgentStatus, type SpawnFields } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { exitCodeForPhase } from '../../exit-codes.ts'
import { followAgent } from '../../follow-agent.ts'
import { phaseName } from '../../output/facts.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface RestartOptions {
  readonly follow?: true
  readonly autoComplete?: boolean
}

export function registerRestart(program: Command, context: CommandContext): void {
  const command = program
    .command('restart')
    .summary('start an ended agent again, with the same task and settings')
    .description(
      'For an agent that failed, was killed or has completed. It keeps its name, labels, budget, persona, model and ' +
        'checklist; every task is open again. It starts from scratch: to continue its conversation and files, use ' +
        '`skein send --continue`.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .option('--auto-complete', 'complete automatically when a run ends with no open tasks')
    .option('--follow', 'show what it does until it completes, fails or needs you')
  withExample(command, 'skein restart shop/release --follow').action(
    async (name: string, { follow, autoComplete = false }: RestartOptions) => {
      const agent = await context.agent(name)
      const status = await agent.status()
      if (!isTerminal(status.phase)) {
        throw new UsageError(
          `${agent.name} has not ended: it is ${phaseName(status.phase)}.`,
          'Write to it with skein send, or end it first with skein kill.',
        )
      }
      const spawned = await (await context.skein()).spawn(repeated(status, autoComplete))
      if (!follow) {
        context.print({ agent: spawned.name, dashboardUrl: spawned.dashboardUrl }, () => spawned.name)
        context.note(`See what it does with: skein logs --follow ${spawned.name}`)
        return
      }
      context.note(`Restarted ${spawned.name}  ${context.io.paint('dim', spawned.dashboardUrl)}`)
      context.exitCode = exitCodeForPhase(await followAgent(context, spawned, { isNew: true }))
    },
  )
}

/** The same work again. The persona's tasks come with the persona. */
function repeated(status: AgentStatus, autoComplete: boolean): SpawnFields {
  const own = status.tasks.filter(
    ({ persona, ephemeral, status: state }) =>
      persona === '' && !ephemeral && state !== 'TASK_STATUS_DELETED',
  )
  const ids = new Set(own.map(({ id }) => id))
  return {
    agentId: status.agentId,
    description: status.description,
    expectedOutput: status.expectedOutput,
    agent: status.persona,
    model: status.model,
    reasoningEffort: status.reasoningEffort,
    serviceTier: status.serviceTier,
    ...(status.fastMode && { fastMode: true }),
    outputSchema: status.outputSchema,
    labels: status.labels,
    maxCost: status.maxCost,
    ...(autoComplete && { autoComplete }),
    tasks: own.map(({ id, subject, description, activation, blockedBy }) => ({
      id,
      subject,
      description,
      activation,
      blockedBy: blockedBy.filter((other) => ids.has(other)),
    })),
  }
}
