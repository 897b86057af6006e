import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { continueWork } from '../agent/set-budget.ts'
import { isLive, type AgentState } from '../agent/state.ts'

/** An agent whose call a budget refused. */
export interface BudgetHold {
  /** The least that the call costs. */
  readonly needMicros: bigint
  /** Whether the budget still applies to the agent. */
  readonly isCovered: boolean
}

/** What refused the calls. Undefined if there is no such hard budget any more. */
interface HoldingBudget {
  readonly amountMicros: bigint
  /** Spent and reserved in the current month. */
  readonly usedMicros: bigint
}

/** Whether a call fits into what is left. The same rule as that of the function reserve_call in the database. */
function fits({ amountMicros, usedMicros }: HoldingBudget, needMicros: bigint): boolean {
  return usedMicros + needMicros < amountMicros
}

/** Those whose calls would be allowed now, the longest-waiting first: no more than there is room for. */
export function holdsToRelease<Hold extends BudgetHold>(
  budget: HoldingBudget | undefined,
  holds: readonly Hold[],
): Hold[] {
  let usedMicros = budget?.usedMicros ?? 0n
  return holds.filter(({ needMicros, isCovered }) => {
    if (!budget || !isCovered) return true
    if (!fits({ ...budget, usedMicros }, needMicros)) return false
    usedMicros += needMicros
    return true
  })
}

/** `waits`: the run has not ended yet. `over`: there is nothing to wake. */
type Release = 'resumed' | 'waits' | 'over'

/** Wakes an agent that a monthly budget had stopped in this run. */
export function releaseHold(
  { runId }: { readonly runId: bigint },
  {
    agent,
    parent,
    now,
  }: {
    readonly agent: AgentState | undefined
    readonly parent: AgentState | undefined
    readonly now: number
  },
): Decision<Release> {
  if (!agent || !isLive(agent) || agent.run?.runId !== runId) return decide('over')
  if (agent.run.state !== 'ended') return decide('waits')
  if (agent.phase !== 'PHASE_WAITING' || !isHeld(agent)) return decide('over')
  const change = new AgentChange(agent, now)
  const above = parent && new AgentChange(parent, now)
  continueWork(change, 'The monthly budget has room again.', above)
  return decide('resumed', change, ...(above ? [above] : []))
}

/** A runner that does not know monthly budgets yet reports them as any budget. */
function isHeld({ run }: AgentState): boolean {
  return run?.limit === 'monthly-budget' || run?.limit === 'budget'
}
