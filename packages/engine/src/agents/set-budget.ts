import { SkeinError } from '@skein/contract'
import { agentKey, setBudget as decideBudget } from '@skein/core'
import { AgentReader } from '@skein/store'
import type { CommandContext, CommandOutcome } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'
import { commandAgent } from '../commands/agent-command.ts'
import { toMicros } from './describe-agent.ts'
import type { AgentTarget } from './find-identity.ts'

/** An agent cannot give itself or its children money: only someone outside of the tree can. */
export function setBudget(
  engine: EngineResources,
  context: CommandContext,
  target: AgentTarget,
  maxCost: number,
): Promise<CommandOutcome<{ resumed: number }>> {
  const { role } = context.caller
  if (role === 'run') {
    throw new SkeinError('PERMISSION_MISSING', {
      message: 'An agent cannot change budgets.',
      metadata: { permission: 'agent.drive', role },
    })
  }
  return commandAgent(
    engine,
    context,
    target,
    { operation: 'setBudget', withSubtree: true },
    async (view) => {
      const costMicros = await new AgentReader(view.session).treeCostMicros(agentKey(target.identity))
      const spentMicros = costMicros - (view.agent?.costBeforeMicros ?? 0n)
      return decideBudget({ maxCostMicros: toMicros(maxCost) }, { ...view, spentMicros })
    },
  )
}
