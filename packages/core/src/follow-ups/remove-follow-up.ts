import { SkeinError } from '@skein/contract'
import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { withdrawEmptyRun } from '../agent/phases.ts'
import type { AgentState } from '../agent/state.ts'

export function removeFollowUp(
  followUpId: string,
  { agent, parent, now }: { agent: AgentState | undefined; parent?: AgentState | undefined; now: number },
): Decision<{ removed: boolean }> {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  const isPending = [...agent.queue, ...agent.deferred].some((pending) => pending.followUpId === followUpId)
  if (!isPending) return decide({ removed: false })
  const change = new AgentChange(agent, now).emit({ type: 'follow-up.removed', followUpId })
  const parentChange = parent && new AgentChange(parent, now)
  withdrawEmptyRun(change, parentChange)
  return decide({ removed: true }, change, ...(parentChange ? [parentChange] : []))
}
