import {
  agentKey,
  announceBudgets as decideBudgets,
  isMetered,
  parentIdentity,
  type AgentState,
  type BudgetHolder,
  type Decision,
} from '@skein/core'
import { AgentReader } from '@skein/store'
import type { RunView } from '../commands/run-command.ts'

/** Adds what a report means for the budgets that it counts against, in the same transaction. */
export async function announceBudgets<Answer>(
  decision: Decision<Answer>,
  { agent, parent, now, transaction }: RunView,
): Promise<Decision<Answer>> {
  if (!agent || !isMetered(decision)) return decision
  const reader = new AgentReader(transaction)
  const holders = await findHolders(reader, agent, parent)
  return holders.length === 0 ? decision : decideBudgets(decision, holders, now)
}

async function findHolders(
  reader: AgentReader,
  agent: AgentState,
  parent: AgentState | undefined,
): Promise<BudgetHolder[]> {
  const holders: BudgetHolder[] = []
  let next: AgentState | undefined = agent
  while (next) {
    const { identity, maxCostMicros, costBeforeMicros }: AgentState = next
    if (maxCostMicros > 0n) {
      const spentMicros = (await reader.treeCostMicros(agentKey(identity))) - costBeforeMicros
      holders.push({ agent: next, spentMicros })
    }
    const above = parentIdentity(identity)
    next = next === agent ? parent : above && (await reader.find(agentKey(above)))
  }
  return holders
}
