import type { StopTurnMode } from '@skein/contract'
import { stopTurn as decideStop } from '@skein/core'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import type { AgentTarget } from '../commands/agent-target.ts'

export function stopTurn(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  stop: { runId: bigint | undefined; mode: StopTurnMode },
): Promise<CommandOutcome<Record<string, never>>> {
  return commandAgent(engine, context, target, { operation: 'stopTurn' }, (view) => decideStop(stop, view))
}
