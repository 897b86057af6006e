import { agentKey, requireBudgetSetter, setBudget as decideBudget } from '@skein/core'
import { AgentReader } from '@skein/store'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import { toMicros } from './describe-agent.ts'
import type { AgentTarget } from '../commands/agent-target.ts'

export function setBudget(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  maxCost: number,
): Promise<CommandOutcome<{ resumed: number }>> {
  requireBudgetSetter(context.caller)
  return commandAgent(
    engine,
    context,
    target,
    { operation: 'setBudget', withSubtree: true },
    async (view) => {
      const costMicros = await new AgentReader(view.transaction).treeCostMicros(agentKey(target.identity))
      const spentMicros = costMicros - (view.agent?.costBeforeMicros ?? 0n)
      return decideBudget({ maxCostMicros: toMicros(maxCost) }, { ...view, spentMicros })
    },
  )
}
