import { removeFollowUp as decideRemove } from '@skein/core'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import type { AgentTarget } from '../commands/agent-target.ts'

export function removeFollowUp(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  followUpId: string,
): Promise<CommandOutcome<{ removed: boolean }>> {
  return commandAgent(engine, context, target, { operation: 'removeFollowUp' }, (view) =>
    decideRemove(followUpId, view),
  )
}
