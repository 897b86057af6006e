import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { queueRun } from '../agent/phases.ts'
import type { AgentState } from '../agent/state.ts'

/** A deferred message is due. Delivering it twice or too late has no effect. */
export function deliverDeferred(
  followUpId: string,
  { agent, parent, now }: { agent: AgentState | undefined; parent: AgentState | undefined; now: number },
): Decision<undefined> {
  const message = agent?.deferred.find((pending) => pending.followUpId === followUpId)
  if (!agent || !message || (message.deliverAt ?? 0) > now) return decide(undefined)
  const change = new AgentChange(agent, now)
  const parentChange = parent && new AgentChange(parent, now)
  change.emit({ type: 'follow-up.due', followUpId })
  queueRun(change, now, parentChange)
  return decide(undefined, change, ...(parentChange ? [parentChange] : []))
}
