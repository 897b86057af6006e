import type { Phase } from '@skein/contract'
import type { AgentChange } from './change.ts'

/** Moves an agent to a phase; its parent, when there is one, sees it on its own timeline. */
export function changePhase(
  change: AgentChange,
  to: Phase,
  { needsInput = '', parent }: { needsInput?: string; parent?: AgentChange | undefined } = {},
): void {
  const { phase: from, identity } = change.agent
  if (from === to) return
  change.emit({ type: 'agent.phase-changed', from, to, needsInput })
  parent?.emit({ type: 'child.phase-changed', child: identity, phase: to })
}

/** Gives an agent that has work its next run, unless it has one already. */
export function queueRun(change: AgentChange, now: number, parent: AgentChange | undefined): void {
  const { run, runCount } = change.agent
  if (run?.state === 'queued' || run?.state === 'running') return
  changePhase(change, 'PHASE_PENDING', { parent })
  change.emit({ type: 'run.queued', runId: runCount + 1n, attempt: 1, availableAt: now })
}

/**
 * Takes back a run that nobody has begun and that has nothing left to say to the agent. A retry has: its messages
 * left the queue with the first attempt.
 */
export function withdrawEmptyRun(change: AgentChange, parent: AgentChange | undefined): void {
  const { run, queue, output } = change.agent
  if (run?.state !== 'queued' || run.attempt > 1 || queue.length > 0) return
  change.emit({ type: 'run.ended', runId: run.runId, reason: 'interrupted', message: '', output })
  changePhase(change, 'PHASE_WAITING', { parent })
}
