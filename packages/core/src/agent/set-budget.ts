import { SkeinError } from '@skein/contract'
import { AgentChange, decide, type Decision } from './change.ts'
import { FROM_PLATFORM } from './events.ts'
import { queueRun } from './phases.ts'
import { agentKey, isLive, parentIdentity, type AgentState } from './state.ts'

/** Changes the budget of an agent and its subtree. Agents that stopped because it was used up continue. */
export function setBudget(
  { maxCostMicros }: { maxCostMicros: bigint },
  {
    agent,
    parent,
    subtree,
    spentMicros,
    now,
  }: {
    agent: AgentState | undefined
    parent: AgentState | undefined
    subtree: readonly AgentState[]
    /** Total cost of the agent and its subtree so far. */
    spentMicros: bigint
    now: number
  },
): Decision<{ resumed: number }> {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  if (!isLive(agent)) throw new SkeinError('AGENT_NOT_RUNNING')
  const family = [agent, ...subtree].map((member) => new AgentChange(member, now))
  const [change, ...below] = family
  const above = parent && new AgentChange(parent, now)
  if (!change) throw new Error('The family begins with the agent')
  if (agent.maxCostMicros !== maxCostMicros) change.emit({ type: 'agent.budget-changed', maxCostMicros })
  const hasRoom = maxCostMicros === 0n || maxCostMicros > spentMicros
  const held = hasRoom ? family.filter(({ agent: member }) => isHeldByBudget(member)) : []
  for (const member of held) continueWork(member, 'The budget was raised.', parentOf(member, above, family))
  return decide({ resumed: held.length }, change, ...below, ...(above ? [above] : []))
}

function isHeldByBudget({ phase, run }: AgentState): boolean {
  return phase === 'PHASE_WAITING' && run?.limit === 'budget'
}

/** Wakes an agent that a budget had stopped. */
export function continueWork(change: AgentChange, because: string, parent: AgentChange | undefined): void {
  change.emit({
    type: 'follow-up.queued',
    ...FROM_PLATFORM,
    followUp: {
      followUpId: `budget:${change.agent.sequence}`,
      description: `${because} Continue where you left off.`,
      tasks: [],
      override: {},
      createdAt: change.at,
    },
  })
  queueRun(change, change.at, parent)
}

function parentOf(
  { agent }: AgentChange,
  above: AgentChange | undefined,
  family: readonly AgentChange[],
): AgentChange | undefined {
  const parent = parentIdentity(agent.identity)
  const key = parent && agentKey(parent)
  return [above, ...family].find((candidate) => candidate && agentKey(candidate.agent.identity) === key)
}
