import { SkeinError, type Task, type TaskUpdate } from '@skein/contract'
import { requireActivations } from './activation.ts'
import { byteSize } from './byte-size.ts'
import { AgentChange, decide, type Decision } from './change.ts'
import { addTasks, updateTasks as updatedTasks } from './checklist.ts'
import { countTasks, requireTaskRoom, requireWithin, type Quota } from './quota.ts'
import { isLive, type AgentState } from './state.ts'

interface TaskContext {
  readonly agent: AgentState | undefined
  readonly quota: Quota
  readonly now: number
}

type ChecklistDecision = Decision<{ tasks: readonly Task[] }>

export function createTasks(tasks: readonly Task[], { agent, quota, now }: TaskContext): ChecklistDecision {
  const live = requireLive(agent)
  requireActivations(tasks)
  const { created, updated } = addTasks(live.tasks, tasks)
  const pending = [...live.queue, ...live.deferred]
  requireWithin(quota, 'tasksPerAgent', countTasks([...live.tasks, ...created], pending))
  requireTaskRoom([...live.tasks, ...created], quota)
  const change = new AgentChange(live, now)
  for (const task of created) change.emit({ type: 'task.created', task })
  for (const task of updated) change.emit({ type: 'task.updated', task })
  return decide({ tasks: change.agent.tasks }, change)
}

export function updateTasks(
  updates: readonly TaskUpdate[],
  { agent, quota, now }: TaskContext,
): ChecklistDecision {
  const live = requireLive(agent)
  requireActivations(updates)
  const change = new AgentChange(live, now)
  for (const task of updatedTasks(live.tasks, updates)) change.emit({ type: 'task.updated', task })
  // Shrinking is always allowed, even if the checklist exceeds a limit that was lowered since.
  if (byteSize(change.agent.tasks) > byteSize(live.tasks)) requireTaskRoom(change.agent.tasks, quota)
  return decide({ tasks: change.agent.tasks }, change)
}

function requireLive(agent: AgentState | undefined): AgentState {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  if (!isLive(agent)) throw new SkeinError('AGENT_NOT_RUNNING')
  return agent
}
