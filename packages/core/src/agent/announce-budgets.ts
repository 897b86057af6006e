import { AgentChange, type Decision } from './change.ts'
import { agentKey, isLive, isWithin, type AgentState } from './state.ts'

/** How much of a budget is spent when people are told, in percent. */
const LEVELS = [100, 80] as const

/** An agent with a budget that a report counts against: the agent itself or one above it. */
export interface BudgetHolder {
  readonly agent: AgentState
  /** Before the report. */
  readonly spentMicros: bigint
}

/**
 * Adds an event for each budget that what was metered brings to 80 or 100 %: once for each level, until the budget is
 * changed. A run that ended because its budget left no room for another call has used it up, even if some cents remain.
 */
export function announceBudgets<Answer>(
  decision: Decision<Answer>,
  holders: readonly BudgetHolder[],
  now: number,
): Decision<Answer> {
  const changes = [...decision.changes]
  for (const holder of holders) {
    const { agent } = holder
    const key = agentKey(agent.identity)
    const spentMicros = holder.spentMicros + meteredMicros(changes, agent)
    const reached = isUsedUp(changes, holder, holders)
      ? 100
      : LEVELS.find((level) => spentMicros * 100n >= agent.maxCostMicros * BigInt(level))
    if (reached === undefined || reached <= (agent.budgetReached ?? 0)) continue
    const known = changes.find((change) => agentKey(change.agent.identity) === key)
    // An agent that has ended is left alone: its end is news enough.
    if (!isLive(known?.agent ?? agent)) continue
    const change = known ?? new AgentChange(agent, now)
    if (!known) changes.push(change)
    const { maxCostMicros } = agent
    change.emit({ type: 'agent.budget-reached', percent: reached, maxCostMicros, spentMicros })
  }
  return { ...decision, changes }
}

export function isMetered({ changes }: Decision<unknown>): boolean {
  return changes.some(({ events }) =>
    events.some(({ event }) => event.type === 'run.metered' || isBudgetEnd(event)),
  )
}

function meteredMicros(changes: readonly AgentChange[], holder: AgentState): bigint {
  return changes
    .filter(({ agent }) => isWithin(agent.identity, holder.identity))
    .flatMap(({ events }) => events)
    .reduce((sum, { event }) => (event.type === 'run.metered' ? sum + event.costMicros : sum), 0n)
}

/** The runner does not say which budget ended the run: it was the one that had least left. */
function isUsedUp(
  changes: readonly AgentChange[],
  holder: BudgetHolder,
  holders: readonly BudgetHolder[],
): boolean {
  if (!changes.some(({ events }) => events.some(({ event }) => isBudgetEnd(event)))) return false
  return holders.every((other) => leftOf(holder) <= leftOf(other))
}

function isBudgetEnd(event: AgentChange['events'][number]['event']): boolean {
  return event.type === 'run.ended' && event.limit === 'budget'
}

function leftOf({ agent, spentMicros }: BudgetHolder): bigint {
  return agent.maxCostMicros - spentMicros
}
