import type { RunEndReason } from '@skein/contract'
import { isAtRest } from '@skein/contract/facts'
import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { openTasks } from '../agent/checklist.ts'
import { killAll, removeEphemeralTasks } from '../agent/kill-agent.ts'
import { changePhase, needsParent, queueRun, reportChild } from '../agent/phases.ts'
import type { AgentFailure, AgentState, RunLimit } from '../agent/state.ts'
import type { Attempt, RunContext } from './attempt.ts'

/** Lost or failed attempts. Paused ones don't count. */
export const MAX_ATTEMPTS = 3

/** 1 s, then 4 s: long enough for a runner to restart, short enough to go unnoticed. */
export function backOffMs({ run }: AgentState): number {
  return 1000 * 4 ** ((run?.failures ?? 1) - 1)
}

/** Whether attempts remain after one more failure. */
export function mayRetry({ run }: AgentState): boolean {
  return (run?.failures ?? 0) + 1 < MAX_ATTEMPTS
}

export function isStopping(agent: AgentState): boolean {
  return agent.run !== undefined && agent.run.stopMode !== 'STOP_TURN_MODE_UNSPECIFIED'
}

/** A stop was requested and the turn has ended. How it ended no longer matters. */
export function stopped(agent: AgentState, { message, output }: { message: string; output: string }) {
  const reason = agent.run?.stopMode === 'STOP_TURN_MODE_KILL' ? 'killed' : 'interrupted'
  return { reason, message, output, needsInput: '' } as const
}

export function retry(
  change: AgentChange,
  { runId, attempt }: Attempt,
  availableAt: number,
  { parent, now }: RunContext,
): Decision<{ isCurrent: boolean }> {
  const parentChange = parent && new AgentChange(parent, now)
  change.emit({ type: 'run.queued', runId, attempt: attempt + 1, availableAt })
  changePhase(change, 'PHASE_PENDING', { parent: parentChange })
  return decide({ isCurrent: true }, change, ...(parentChange ? [parentChange] : []))
}

interface Pause {
  readonly message: string
  readonly output: string
  readonly retryAt?: number
}

/** The run is released before its end. Another attempt continues the session, and it doesn't count as a failure. */
export function pause(
  change: AgentChange,
  current: Attempt,
  { retryAt, message, output }: Pause,
  context: RunContext,
): Decision<{ isCurrent: boolean }> {
  if (isStopping(change.agent)) {
    return rest(change, current, stopped(change.agent, { message, output }), context)
  }
  const until = Math.max(retryAt ?? 0, context.now)
  change.emit({ type: 'run.paused', ...current, until, message })
  return retry(change, current, until, context)
}

/** Ends the run, not the agent: it stays alive, or completes. */
export function rest(
  change: AgentChange,
  attempt: Attempt,
  ending: Ending & { needsInput: string; awaits?: readonly string[] },
  { parent, subtree = [], now }: RunContext & { subtree?: readonly AgentState[] },
): Decision<{ isCurrent: boolean }> {
  finish(change, attempt, ending)
  const parentChange = parent && new AgentChange(parent, now)
  const awaited = ending.reason === 'rested' ? awaitChildren(change, ending.awaits ?? [], subtree) : 'none'
  if (awaited === 'still-working') changePhase(change, 'PHASE_PENDING', { parent: parentChange })
  else settle(change, ending, now, parentChange)
  return decide({ isCurrent: true }, change, ...(parentChange ? [parentChange] : []))
}

/**
 * Ends the turn until children wake the agent. Those already ended report immediately. If that is all of them, or
 * another message has arrived, the next turn follows right away.
 */
function awaitChildren(
  change: AgentChange,
  names: readonly string[],
  subtree: readonly AgentState[],
): 'none' | 'still-working' {
  const depth = change.agent.identity.path.length + 1
  const children = subtree.filter(
    ({ identity: { path } }) => path.length === depth && names.includes(path.at(-1) ?? ''),
  )
  const resting = children.filter(({ phase }) => isAtRest(phase))
  const working = children.filter(({ phase }) => !isAtRest(phase))
  for (const child of resting) reportChild(change, child)
  if (working.length === 0 || change.agent.queue.length > resting.length || resting.some(needsParent))
    return 'none'
  change.emit({
    type: 'children.awaited',
    children: working.map(({ identity }) => identity.path.at(-1) ?? ''),
  })
  return 'still-working'
}

interface Ending {
  readonly reason: RunEndReason
  readonly limit?: RunLimit
  readonly message: string
  readonly output: string
  readonly error?: AgentFailure
}

/** Ends the run and removes its ephemeral tasks. */
function finish(change: AgentChange, { runId }: Attempt, ending: Ending): void {
  const { reason, message, output, limit = '', error } = ending
  change.emit({
    type: 'run.ended',
    runId,
    reason,
    message,
    output,
    ...(reason === 'limit' && { limit }),
    ...(reason === 'failed' || reason === 'lost'
      ? error && { error: { code: error.code, message: error.message } }
      : {}),
  })
  removeEphemeralTasks(change)
}

/** What follows a run that ended well: another run, completion, or idle. */
function settle(
  change: AgentChange,
  { reason, needsInput }: { reason: RunEndReason; needsInput: string },
  now: number,
  parent: AgentChange | undefined,
): void {
  const { queue, tasks, run, autoComplete } = change.agent
  if (queue.length > 0) return queueRun(change, now, parent)
  const open = openTasks(tasks, run?.activeTaskIds ?? [])
  const wantsToComplete = reason === 'finished' || (reason === 'rested' && autoComplete)
  if (wantsToComplete && open.length === 0) return changePhase(change, 'PHASE_COMPLETED', { parent })
  const stillOpen = wantsToComplete ? `Still open: ${open.map(({ subject }) => subject).join('; ')}` : ''
  changePhase(change, 'PHASE_WAITING', { needsInput: needsInput === '' ? stillOpen : needsInput, parent })
}

/** Fails the agent permanently, together with its descendants. */
export function fail(
  change: AgentChange,
  attempt: Attempt,
  ending: Ending,
  { parent, subtree, now }: RunContext & { subtree: readonly AgentState[] },
): Decision<{ isCurrent: boolean }> {
  finish(change, attempt, ending)
  const killed = killAll(subtree, change, now)
  const parentChange = parent && new AgentChange(parent, now)
  changePhase(change, 'PHASE_FAILED', { parent: parentChange })
  return decide({ isCurrent: true }, change, ...(parentChange ? [parentChange] : []), ...killed)
}
