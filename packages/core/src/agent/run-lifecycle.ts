import { SkeinError, type RunEndReason, type StopTurnMode, type Task } from '@skein/contract'
import { isAtRest } from '@skein/contract/facts'
import { FileMatcher } from '../globs/file-matcher.ts'
import { AgentChange, decide, type Decision } from './change.ts'
import { addAcceptedTasks, openTasks } from './checklist.ts'
import type { AgentEvent } from './events.ts'
import { killAll, removeEphemeralTasks } from './kill-agent.ts'
import { changePhase, needsParent, queueRun, reportChild } from './phases.ts'
import { applyOverride } from './settings.ts'
import {
  isLive,
  type AgentFailure,
  type AgentState,
  type FollowUpBody,
  type PendingFollowUp,
  type RunLimit,
  type Usage,
} from './state.ts'

/** Attempts that are lost or fail; those that are only paused do not count. */
export const MAX_ATTEMPTS = 3

/** Which attempt of which run a runner speaks of. An older one than the current can change nothing. */
export interface Attempt {
  readonly runId: bigint
  readonly attempt: number
}

interface RunContext {
  readonly agent: AgentState | undefined
  readonly parent: AgentState | undefined
  readonly now: number
}

export function isCurrent(agent: AgentState | undefined, { runId, attempt }: Attempt): agent is AgentState {
  return (
    isLive(agent) &&
    agent.run?.runId === runId &&
    agent.run.attempt === attempt &&
    agent.run.state === 'running'
  )
}

/** The oldest message and those behind it, up to the first with an override: that one starts a run of its own. */
export function deliveryBatch(queue: readonly PendingFollowUp[]): readonly PendingFollowUp[] {
  const [first, ...others] = queue
  if (!first) return []
  const end = others.findIndex(({ hasOverride }) => hasOverride)
  return [first, ...(end === -1 ? others : others.slice(0, end))]
}

/** A runner takes the run. The first attempt takes its messages out of the queue; a retry has them already. */
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

/** What is due is for the rules to say; the caller only brings the texts. */
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
  change.emit({ type: 'follow-up.delivered', followUpId, runId })
}

/** Exactly the tasks of the persona before go; everyone else's stay. */
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

/** Two messages of one batch may bring a task for the same outside object: the first one counts. */
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

/** What a runner may report while its run goes on. */
export type ProgressEvent = Extract<
  AgentEvent,
  { type: 'run.progressed' | 'run.message' | 'run.tool-called' | 'run.pushed' }
>

/** A message that the agent was told in mid-turn. */
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
    usage: Usage | undefined
    /** Where the conversation was saved, if it was since the last report. */
    session: string | undefined
  },
  { agent, now }: Omit<RunContext, 'parent'>,
): Decision<{ isCurrent: boolean }> {
  if (!isCurrent(agent, attempt)) return decide({ isCurrent: false })
  const change = new AgentChange(agent, now)
  const matcher = new FileMatcher()
  for (const event of events) {
    if (event.type === 'run.steered') {
      deliverSteered(change, event.followUpId, attempt.runId)
      continue
    }
    change.emit({ ...event, runId: attempt.runId })
    if (event.type === 'run.pushed') activateTasks(change, event.files, matcher)
  }
  if (usage) change.emit({ type: 'run.metered', runId: attempt.runId, ...usage })
  saveSession(change, attempt, session)
  return decide({ isCurrent: true }, change)
}

/** One that was removed or cleared meanwhile has been said all the same; nothing is left of it to deliver. */
function deliverSteered(change: AgentChange, followUpId: string, runId: bigint): void {
  const isQueued = change.agent.queue.some((pending) => pending.followUpId === followUpId)
  if (isQueued) change.emit({ type: 'follow-up.delivered', followUpId, runId })
}

function saveSession(change: AgentChange, { runId }: Attempt, session: string | undefined): void {
  if (session !== undefined && session !== change.agent.session) {
    change.emit({ type: 'run.saved', runId, session })
  }
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

/** How a runner says that a run ended. */
export interface RunOutcome {
  readonly reason:
    | Extract<RunEndReason, 'finished' | 'asked' | 'rested' | 'interrupted' | 'killed' | 'failed' | 'limit'>
    | 'paused'
  readonly message: string
  readonly needsInput: string
  readonly output: string
  readonly usage: Usage | undefined
  readonly session: string | undefined
  /** Reason limit: which one. */
  readonly limit: RunLimit
  /** Reason rested: the children whose end the agent waits for. */
  readonly awaits: readonly string[]
  readonly error?: AgentFailure & { readonly isRetryable: boolean }
  /** When a run that failed or pauses may go on at the earliest, such as the reset of a rate limit. */
  readonly retryAt?: number
}

export function endRun(
  { runId, attempt, outcome }: Attempt & { outcome: RunOutcome },
  context: RunContext & { subtree: readonly AgentState[] },
): Decision<{ isCurrent: boolean }> {
  const { agent, now } = context
  const current = { runId, attempt }
  if (!isCurrent(agent, current)) return decide({ isCurrent: false })
  const change = new AgentChange(agent, now)
  if (outcome.usage) change.emit({ type: 'run.metered', runId, ...outcome.usage })
  saveSession(change, current, outcome.session)
  const { reason } = outcome
  if (reason === 'paused') return pause(change, current, outcome, context)
  if (reason !== 'failed') return rest(change, current, { ...outcome, reason }, context)
  const { code = 'unknown', message = outcome.message, isRetryable = false } = outcome.error ?? {}
  const error = { code, message }
  if (isRetryable && isStopping(agent)) return rest(change, current, stopped(agent, outcome), context)
  if (isRetryable && mayRetry(agent)) {
    change.emit({ type: 'run.attempt-failed', ...current, error })
    return retry(change, current, Math.max(outcome.retryAt ?? 0, now + backOffMs(change.agent)), context)
  }
  return fail(change, current, { ...outcome, reason, error }, context)
}

/** The runner lets go of the run before its end: another attempt goes on with the session, and nothing counts as failed. */
function pause(
  change: AgentChange,
  current: Attempt,
  { retryAt, message, output }: RunOutcome,
  context: RunContext,
): Decision<{ isCurrent: boolean }> {
  if (isStopping(change.agent)) {
    return rest(change, current, stopped(change.agent, { message, output }), context)
  }
  const until = Math.max(retryAt ?? 0, context.now)
  change.emit({ type: 'run.paused', ...current, until, message })
  return retry(change, current, until, context)
}

/** The lease ran out: nobody knows what became of the attempt, so the next one takes over its session. */
export function loseAttempt(
  { runId, attempt }: Attempt,
  context: RunContext & { subtree: readonly AgentState[] },
): Decision<{ isCurrent: boolean }> {
  const { agent, now } = context
  const current = { runId, attempt }
  if (!isCurrent(agent, current)) return decide({ isCurrent: false })
  const change = new AgentChange(agent, now)
  change.emit({ type: 'run.attempt-lost', ...current })
  if (isStopping(agent)) return rest(change, current, stopped(agent, LOST), context)
  if (mayRetry(agent)) return retry(change, current, now + backOffMs(change.agent), context)
  return fail(change, current, { ...LOST, reason: 'lost' }, context)
}

const LOST = {
  message: '',
  output: '',
  error: { code: 'lost', message: 'No runner could keep the run: each lost its lease.' },
}

/** 1 s, then 4 s: long enough for a runner to restart, short enough not to be noticed. */
function backOffMs({ run }: AgentState): number {
  return 1000 * 4 ** ((run?.failures ?? 1) - 1)
}

/** Whether one more failure leaves an attempt. */
function mayRetry({ run }: AgentState): boolean {
  return (run?.failures ?? 0) + 1 < MAX_ATTEMPTS
}

function isStopping(agent: AgentState): boolean {
  return agent.run !== undefined && agent.run.stopMode !== 'STOP_TURN_MODE_UNSPECIFIED'
}

/** Someone wanted the turn to end, and it has: how it came down no longer matters. */
function stopped(agent: AgentState, { message, output }: { message: string; output: string }) {
  const reason = agent.run?.stopMode === 'STOP_TURN_MODE_KILL' ? 'killed' : 'interrupted'
  return { reason, message, output, needsInput: '' } as const
}

function retry(
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

/** Not for good: the run is over, the agent lives on or has done its work. */
function rest(
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
 * The agent's turn ends here and it is woken by its children's ends. Those that have ended already report at once;
 * if that is all of them, or somebody else has written, the next turn follows right away.
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

/** The run is over; tasks that lived only for it go. */
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

/** Where an agent goes when its run ends well: on, to its end, or to rest. */
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

/** For good: the agent and everyone below it end. */
function fail(
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

export function stopTurn(
  { runId, mode }: { runId: bigint | undefined; mode: StopTurnMode },
  { agent, now }: { agent: AgentState | undefined; now: number },
): Decision<Record<string, never>> {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  const { run } = agent
  if (!isLive(agent) || run?.state !== 'running' || run.runId !== runId) {
    throw new SkeinError('RUN_NOT_CURRENT', {
      message:
        run?.state === 'running'
          ? `The current run is ${run.runId}, not ${runId ?? 'given'}.`
          : 'No turn is running.',
      violations: [{ field: 'runId', description: 'must be the number of the run in progress' }],
    })
  }
  const wanted = mode === 'STOP_TURN_MODE_KILL' ? mode : 'STOP_TURN_MODE_INTERRUPT'
  // Asking again changes nothing, and an interrupt never softens a kill.
  if (run.stopMode === wanted || run.stopMode === 'STOP_TURN_MODE_KILL') return decide({})
  return decide(
    {},
    new AgentChange(agent, now).emit({ type: 'run.stop-requested', runId: run.runId, mode: wanted }),
  )
}
