import type { Phase } from '@skein/contract'
import { isAtRest, isTerminal } from '@skein/contract/facts'
import type { AgentChange } from './change.ts'
import type { AgentState } from './state.ts'

/** Moves an agent to a phase and records it on the parent's timeline, if there is a parent. */
export function changePhase(
  change: AgentChange,
  to: Phase,
  { needsInput = '', parent }: { needsInput?: string; parent?: AgentChange | undefined } = {},
): void {
  const { phase: from } = change.agent
  if (from === to) return
  if (isTerminal(to)) dropFollowUps(change, to)
  change.emit({ type: 'agent.phase-changed', from, to, needsInput })
  if (parent) tellParent(parent, change.agent)
}

/**
 * Pending messages are dropped when an agent ends, and the timeline records it. The next incarnation doesn't get
 * them.
 */
function dropFollowUps(change: AgentChange, end: Phase): void {
  const { queue, deferred } = change.agent
  for (const { followUpId } of [...queue, ...deferred]) {
    change.emit({ type: 'follow-up.dropped', followUpId, cause: CAUSES[end] ?? 'the agent has ended' })
  }
}

const CAUSES: Partial<Record<Phase, string>> = {
  PHASE_COMPLETED: 'the agent has completed',
  PHASE_FAILED: 'the agent failed',
  PHASE_CANCELED: 'the agent was killed',
}

/** A parent awaiting the child gets its result as a message. It continues once all have reported, or one needs it. */
function tellParent(parent: AgentChange, child: AgentState): void {
  const isAwaited = parent.agent.awaits.includes(child.identity.path.at(-1) ?? '')
  parent.emit({ type: 'child.phase-changed', child: child.identity, phase: child.phase })
  if (!isAwaited || !isAtRest(child.phase)) return
  reportChild(parent, child)
  if (parent.agent.awaits.length === 0 || needsParent(child)) queueRun(parent, parent.at, undefined)
}

/** The parent's sequence makes the id unique: it may ask for the same child's result again. */
export function reportChild(parent: AgentChange, child: AgentState): void {
  const name = child.identity.path.at(-1) ?? ''
  parent.emit({
    type: 'follow-up.queued',
    origin: 'CHILD',
    child: name,
    followUp: {
      followUpId: `child:${name}:${parent.agent.sequence}`,
      description: childReport(name, child),
      tasks: [],
      override: {},
      createdAt: parent.at,
    },
  })
}

function childReport(name: string, { phase, needsInput, lastMessage, output, error }: AgentState): string {
  const lines = [
    headline(name, phase, needsInput),
    ...(error && phase === 'PHASE_FAILED' ? [error.message] : []),
    ...(lastMessage === '' ? [] : [lastMessage]),
    ...(output === '' ? [] : [`Output: ${output}`]),
  ]
  return lines.join('\n\n')
}

function headline(name: string, phase: Phase, needsInput: string): string {
  switch (phase) {
    case 'PHASE_COMPLETED':
      return `Your child ${name} has finished.`
    case 'PHASE_FAILED':
      return `Your child ${name} has failed.`
    case 'PHASE_CANCELED':
      return `Your child ${name} was killed.`
    default:
      return needsInput === '' ? `Your child ${name} is idle.` : `Your child ${name} asks: ${needsInput}`
  }
}

/** Wakes the parent without waiting for the other children: this one is stuck or lost without it. */
export function needsParent({ phase }: AgentState): boolean {
  return phase === 'PHASE_WAITING' || phase === 'PHASE_FAILED'
}

/** Queues the next run of an agent that has work, unless one is queued or running. */
export function queueRun(change: AgentChange, now: number, parent: AgentChange | undefined): void {
  const { run, runCount } = change.agent
  if (run?.state === 'queued' || run?.state === 'running') return
  changePhase(change, 'PHASE_PENDING', { parent })
  change.emit({ type: 'run.queued', runId: runCount + 1n, attempt: 1, availableAt: now })
}

/**
 * Withdraws a queued run that has no messages left to deliver. Not a retry: its messages left the queue with the
 * first attempt.
 */
export function withdrawEmptyRun(change: AgentChange, parent: AgentChange | undefined): void {
  const { run, queue, output } = change.agent
  if (run?.state !== 'queued' || run.attempt > 1 || queue.length > 0) return
  change.emit({ type: 'run.ended', runId: run.runId, reason: 'interrupted', message: '', output })
  changePhase(change, 'PHASE_WAITING', { parent })
}
