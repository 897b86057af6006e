import { SkeinError } from '@skein/contract'
import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { withdrawEmptyRun } from '../agent/phases.ts'
import type { AgentState } from '../agent/state.ts'

/** Deferred messages stay: they are delivered at their time, or removed. */
export function clearFollowUps({
  agent,
  parent,
  now,
}: {
  agent: AgentState | undefined
  parent?: AgentState | undefined
  now: number
}): Decision<{ cleared: number }> {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  const change = new AgentChange(agent, now)
  for (const { followUpId } of agent.queue) change.emit({ type: 'follow-up.cleared', followUpId })
  const parentChange = parent && new AgentChange(parent, now)
  withdrawEmptyRun(change, parentChange)
  return decide({ cleared: agent.queue.length }, change, ...(parentChange ? [parentChange] : []))
}
