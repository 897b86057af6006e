import { AgentChange, decide, type Decision } from '../agent/change.ts'
import type { AgentEvent } from '../agent/events.ts'
import type { MeteredUsage } from '../agent/state.ts'
import { FileMatcher } from '../globs/file-matcher.ts'
import { isCurrent, saveSession, type Attempt, type RunContext } from './attempt.ts'

/** Events a runner may report during its run. */
export type ProgressEvent = Extract<
  AgentEvent,
  { type: 'run.progressed' | 'run.message' | 'run.tool-started' | 'run.tool-called' | 'run.pushed' }
>

/** A message the agent received mid-turn. */
export interface SteerReport {
  readonly type: 'run.steered'
  readonly followUpId: string
}

export function reportProgress(
  {
    events,
    usage,
    session,
    ...attempt
  }: Attempt & {
    events: readonly (ProgressEvent | SteerReport)[]
    usage: MeteredUsage | undefined
    /** Where the conversation was saved, if it was saved since the last report. */
    session: string | undefined
  },
  { agent, now }: Omit<RunContext, 'parent'>,
): Decision<{ isCurrent: boolean }> {
  if (!isCurrent(agent, attempt)) return decide({ isCurrent: false })
  const change = new AgentChange(agent, now)
  addProgress(change, attempt, events)
  if (usage) change.emit({ type: 'run.metered', runId: attempt.runId, ...usage })
  saveSession(change, attempt, session)
  return decide({ isCurrent: true }, change)
}

export function addProgress(
  change: AgentChange,
  { runId }: Attempt,
  events: readonly (ProgressEvent | SteerReport)[],
): void {
  const matcher = new FileMatcher()
  for (const event of events) {
    if (event.type === 'run.steered') {
      deliverSteered(change, event.followUpId, runId)
      continue
    }
    change.emit({ ...event, runId })
    if (event.type === 'run.pushed') activateTasks(change, event.files, matcher)
  }
}

/**
 * A message that was removed or cleared in the meantime has already reached the agent, so there is nothing to
 * deliver.
 */
function deliverSteered(change: AgentChange, followUpId: string, runId: bigint): void {
  const isQueued = change.agent.queue.some((pending) => pending.followUpId === followUpId)
  if (isQueued) change.emit({ type: 'follow-up.delivered', followUpId, runId, steered: true })
}

function activateTasks(change: AgentChange, files: readonly string[], matcher: FileMatcher): void {
  const { tasks, run } = change.agent
  for (const { id, activation, status } of tasks) {
    if (!activation.filesModified || !run || run.activeTaskIds.includes(id)) continue
    if (status === 'TASK_STATUS_DELETED') continue
    if (matcher.matches(activation.filesModified.pattern ?? '', files)) {
      change.emit({ type: 'task.activated', taskId: id, runId: run.runId })
    }
  }
}
