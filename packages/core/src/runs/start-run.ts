import type { Task } from '@skein/contract'
import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { addAcceptedTasks } from '../agent/checklist.ts'
import { changePhase } from '../agent/phases.ts'
import { applyOverride } from '../agent/settings.ts'
import { isLive, type FollowUpBody, type PendingFollowUp } from '../agent/state.ts'
import type { Attempt, RunContext } from './attempt.ts'

/** The oldest message and those after it, up to the first with an override, which starts a run of its own. */
export function deliveryBatch(queue: readonly PendingFollowUp[]): readonly PendingFollowUp[] {
  const [first, ...others] = queue
  if (!first) return []
  const end = others.findIndex(({ hasOverride }) => hasOverride)
  return [first, ...(end === -1 ? others : others.slice(0, end))]
}

/** A runner takes the run. The first attempt takes its messages from the queue; a retry already has them. */
export function startRun(
  { runId, attempt, runner, batch }: Attempt & { runner: string; batch: readonly FollowUpBody[] },
  { agent, parent, now }: RunContext,
): Decision<{ isStarted: boolean }> {
  const run = agent?.run
  if (!isLive(agent) || run?.state !== 'queued' || run.runId !== runId || run.attempt !== attempt) {
    return decide({ isStarted: false })
  }
  const change = new AgentChange(agent, now)
  const parentChange = parent && new AgentChange(parent, now)
  const messages = attempt === 1 ? bodiesOf(deliveryBatch(agent.queue), batch) : []
  for (const followUp of withoutDuplicateTasks(messages)) deliver(change, followUp, runId)
  change.emit({ type: 'run.started', runId, attempt, runner })
  changePhase(change, 'PHASE_RUNNING', { parent: parentChange })
  return decide({ isStarted: true }, change, ...(parentChange ? [parentChange] : []))
}

/** The rules decide what is due; the caller only supplies the texts. */
function bodiesOf(due: readonly PendingFollowUp[], bodies: readonly FollowUpBody[]): FollowUpBody[] {
  const byId = new Map(bodies.map((body) => [body.followUpId, body]))
  return due.map(({ followUpId }) => {
    const body = byId.get(followUpId)
    if (!body) throw new Error(`The batch lacks the message ${followUpId}`)
    return body
  })
}

function deliver(change: AgentChange, followUp: FollowUpBody, runId: bigint): void {
  const { followUpId, personaTasks = [], tasks, override } = followUp
  if (Object.keys(override).length > 0) {
    if (override.persona !== undefined) switchPersona(change, personaTasks)
    change.emit({
      type: 'agent.settings-changed',
      settings: applyOverride(change.agent.settings, override),
    })
  }
  addToChecklist(change, tasks)
  change.emit({ type: 'follow-up.delivered', followUpId, runId, steered: false })
}

/** Removes exactly the previous persona's tasks. All others stay. */
function switchPersona(change: AgentChange, tasks: readonly Task[]): void {
  for (const task of change.agent.tasks) {
    if (task.persona !== '') change.emit({ type: 'task.removed', taskId: task.id })
  }
  addToChecklist(change, tasks)
}

function addToChecklist(change: AgentChange, tasks: readonly Task[]): void {
  const { created, updated } = addAcceptedTasks(change.agent.tasks, tasks)
  for (const task of created) change.emit({ type: 'task.created', task })
  for (const task of updated) change.emit({ type: 'task.updated', task })
}

/** If two messages of a batch add a task with the same dedup key, the first one wins. */
function withoutDuplicateTasks(batch: readonly FollowUpBody[]): readonly FollowUpBody[] {
  const seen = new Set<string>()
  return batch.map((followUp) => ({
    ...followUp,
    tasks: followUp.tasks.filter(({ dedupKey }) => {
      if (dedupKey === '') return true
      const isFirst = !seen.has(dedupKey)
      seen.add(dedupKey)
      return isFirst
    }),
  }))
}
