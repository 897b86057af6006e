import { agentKey, parentIdentity, type AgentState } from '@skein/core'
import type { AgentReader } from '@skein/store'

export interface TightestBudget {
  readonly maxCostMicros: bigint
  readonly spentMicros: bigint
}

/** The tightest budget of the agent and its ancestors; undefined if none is set. */
export async function findBudget(
  reader: AgentReader,
  agent: AgentState | undefined,
): Promise<TightestBudget | undefined> {
  let tightest: TightestBudget | undefined
  for (let holder = agent; holder !== undefined;) {
    const { maxCostMicros, costBeforeMicros, identity } = holder
    if (maxCostMicros > 0n) {
      const spentMicros = (await reader.treeCostMicros(agentKey(identity))) - costBeforeMicros
      const budget = { maxCostMicros, spentMicros }
      if (!tightest || leftOf(budget) < leftOf(tightest)) tightest = budget
    }
    const above = parentIdentity(identity)
    holder = above && (await reader.find(agentKey(above)))
  }
  return tightest
}

export function leftOf({ maxCostMicros, spentMicros }: TightestBudget): bigint {
  return maxCostMicros > spentMicros ? maxCostMicros - spentMicros : 0n
}
