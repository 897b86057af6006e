import { killAgent as decideKill } from '@skein/core'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import type { AgentTarget } from '../commands/agent-target.ts'

export function killAgent(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
): Promise<CommandOutcome<Record<string, never>>> {
  return commandAgent(engine, context, target, { operation: 'killAgent', withSubtree: true }, decideKill)
}
