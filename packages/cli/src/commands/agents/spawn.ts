import type { Agent, Skein, SpawnedAgent } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { followAgent } from '../../follow-agent.ts'
import { collectLabel } from '../../command-line/labels.ts'
import { messageFrom } from '../../message-text.ts'
import { parseDollars } from '../../command-line/parse-dollars.ts'
import { addSettings, readSettings, type SettingsOptions } from '../../command-line/settings-options.ts'
import { reportOutcome } from '../../output/outcome.ts'
import { exitCodeForPhase } from '../../exit-codes.ts'

interface SpawnOptions extends SettingsOptions {
  readonly name?: string
  readonly workspace?: string
  readonly childOf?: string
  readonly expect?: string
  readonly maxCost?: number
  readonly label?: Readonly<Record<string, string>>
  readonly autoComplete?: true
  readonly wait?: true
  readonly follow?: true
}

export function registerSpawn(program: Command, context: CommandContext): void {
  const command = program
    .command('spawn')
    .summary('start an agent')
    .argument('[work...]', 'the task; - or nothing reads standard input')
    .option('--name <name>', 'its name; default: generated')
    .option('--workspace <name>', 'the workspace; default: the only one, or the one named default')
    .option('--child-of <agent>', 'spawn it as a child of this agent')
    .option('--expect <text>', 'the expected result')
    .option('--max-cost <dollars>', 'budget for it and its children', parseDollars)
    .option('--label <key=value>', 'a label to find it by; may be repeated', collectLabel)
    .option('--auto-complete', 'complete automatically when a run ends with no open tasks')
    .option('--wait', 'wait until it completes, fails or needs you')
    .option('--follow', 'show what it does until then')
  addSettings(command)
  withExample(command, 'skein spawn --workspace shop --follow "Add a changelog."').action(
    async (words: readonly string[], options: SpawnOptions) => {
      const agent = await spawn(context, words, options)
      const facts = {
        agent: agent.name,
        agentId: agent.id,
        followUpId: agent.followUpId,
        dashboardUrl: agent.dashboardUrl,
      }
      if (options.follow) {
        context.note(`Spawned ${agent.name}  ${context.io.paint('dim', agent.dashboardUrl)}`)
        const phase = await followAgent(context, agent, { isNew: true })
        context.exitCode = exitCodeForPhase(phase)
      } else if (options.wait) {
        context.note(`Spawned ${agent.name}, waiting.`)
        const { reason, status } = await agent.wait()
        context.print({ ...facts, reason, status }, () => reportOutcome(context.io, status))
        context.exitCode = exitCodeForPhase(status.phase)
      } else {
        context.print(facts, () => agent.name)
        context.note(`See what it does with: skein logs --follow ${agent.name}`)
      }
    },
  )
}

async function spawn(
  context: CommandContext,
  words: readonly string[],
  options: SpawnOptions,
): Promise<SpawnedAgent> {
  const request = {
    description: await messageFrom(context.io, words),
    ...(await readSettings(options)),
    ...(options.name !== undefined && { name: options.name }),
    ...(options.expect !== undefined && { expectedOutput: options.expect }),
    ...(options.maxCost !== undefined && { maxCost: options.maxCost }),
    ...(options.label && { labels: { ...options.label } }),
    ...(options.autoComplete && { autoComplete: true }),
  }
  const parent: Agent | Skein =
    options.childOf === undefined ? await context.skein() : await context.agent(options.childOf)
  if (options.childOf !== undefined) return parent.spawn(request)
  const workspace = options.workspace ?? (await context.profile()).workspace
  return parent.spawn({ ...request, ...(workspace !== undefined && { workspace }) })
}
