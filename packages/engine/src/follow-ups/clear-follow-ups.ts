import { clearFollowUps as decideClear } from '@skein/core'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import type { AgentTarget } from '../commands/agent-target.ts'

export function clearFollowUps(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
): Promise<CommandOutcome<{ cleared: number }>> {
  return commandAgent(engine, context, target, { operation: 'clearFollowUps' }, decideClear)
}
