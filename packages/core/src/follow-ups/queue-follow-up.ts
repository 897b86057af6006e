import { SkeinError, type Task } from '@skein/contract'
import { requireActivations } from '../agent/activation.ts'
import { byteSize } from '../agent/byte-size.ts'
import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { addTasks } from '../agent/checklist.ts'
import { FROM_CALLER } from '../agent/events.ts'
import { queueRun } from '../agent/phases.ts'
import { countTasks, queuedBytesOf, requireTaskRoom, requireWithin, type Quota } from '../agent/quota.ts'
import { isLive, type AgentState, type SettingsOverride } from '../agent/state.ts'

export const MAX_DEFER_MS = 30 * 24 * 60 * 60 * 1000

export interface QueueFollowUp {
  readonly followUpId: string
  readonly description: string
  readonly tasks: readonly Task[]
  readonly override: SettingsOverride
  readonly personaTasks?: readonly Task[]
  readonly preempt: boolean
  /** For the turn in progress, if any. */
  readonly steers: boolean
  readonly deliverAt: number | undefined
}

export interface FollowUpContext {
  readonly agent: AgentState | undefined
  readonly parent: AgentState | undefined
  /** Whether the agent has already accepted this id: see isKnownFollowUp. */
  readonly isKnown: boolean
  readonly quota: Quota
  /** Of all pending messages in the tenant. */
  readonly queuedBytes: number
  /** Whether the agent's build supports deferred messages. */
  readonly canDefer: boolean
  readonly now: number
}

/** The stored record of a message. */
export interface FollowUpRecord {
  readonly state: string
  /** Sequence of the event that queued it. */
  readonly position: bigint
}

/**
 * Sending the same id again is safe: a message is accepted once per incarnation, unless it was removed. To change a
 * message, a caller removes it and queues it again.
 */
export function isKnownFollowUp(
  agent: AgentState | undefined,
  record: FollowUpRecord | undefined,
  /** For messages whose id says what they are about: nobody could send one again after it was cleared. */
  { resendsCleared = false }: { readonly resendsCleared?: boolean } = {},
): boolean {
  if (!agent || !record || record.state === 'REMOVED') return false
  if (resendsCleared && record.state === 'CLEARED') return false
  return record.position >= agent.firstSequence
}

export function queueFollowUp(
  command: QueueFollowUp,
  context: FollowUpContext,
): Decision<{ followUpId: string }> {
  const { agent, now } = context
  const answer = { followUpId: command.followUpId }
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  if (context.isKnown) return decide(answer)
  if (!isLive(agent)) throw new SkeinError('AGENT_NOT_RUNNING')
  requireActivations(command.tasks)
  if (command.steers) requireSteering(command)
  if (command.deliverAt !== undefined) requireDeferrable(command.deliverAt, command.preempt, context)

  const change = new AgentChange(agent, now)
  const parent = context.parent && new AgentChange(context.parent, now)
  if (command.preempt) preempt(change)
  requireRoom(change.agent, command, context.quota)
  addTasks(remainingTasks(agent, command.override), command.tasks)
  const { followUpId, description, tasks, override, personaTasks } = command
  const followUp = {
    followUpId,
    description,
    tasks,
    override,
    ...(personaTasks && { personaTasks }),
    ...(command.steers && { steers: true }),
    createdAt: now,
  }
  const bytes = byteSize(followUp)
  requireWithin(context.quota, 'queuedBytesPerAgent', queuedBytesOf(change.agent) + bytes)
  requireWithin(context.quota, 'queuedBytes', context.queuedBytes + change.queuedBytesDelta + bytes)
  if (command.deliverAt === undefined) {
    change.emit({ type: 'follow-up.queued', ...FROM_CALLER, followUp })
    queueRun(change, now, parent)
  } else {
    const deferred = { ...followUp, deliverAt: command.deliverAt }
    change.emit({ type: 'follow-up.deferred', ...FROM_CALLER, followUp: deferred })
  }
  return decide(answer, change, ...(parent ? [parent] : []))
}

/** A message that changes settings or adds tasks needs a run of its own, and a deferred one has no turn to steer. */
function requireSteering({ preempt: isPreempting, deliverAt, tasks, override }: QueueFollowUp): void {
  const isPlain = tasks.length === 0 && Object.keys(override).length === 0
  if (isPlain && !isPreempting && deliverAt === undefined) return
  const description = 'cannot be combined with preempt, deliverAt, tasks or settings'
  throw new SkeinError('REQUEST_INVALID', {
    message: `steer ${description}.`,
    violations: [{ field: 'steer', description }],
  })
}

function requireDeferrable(
  deliverAt: number,
  isPreempting: boolean,
  { canDefer, now }: FollowUpContext,
): void {
  const problem = isPreempting
    ? 'cannot be combined with preempt'
    : deliverAt <= now
      ? 'must be in the future'
      : deliverAt > now + MAX_DEFER_MS
        ? 'must be at most 30 days ahead'
        : undefined
  if (problem !== undefined) {
    throw new SkeinError('REQUEST_INVALID', {
      message: `deliverAt ${problem}.`,
      violations: [{ field: 'deliverAt', description: problem }],
    })
  }
  if (!canDefer) throw new SkeinError('BUILD_LACKS_DEFERRAL')
}

/** Best effort for the turn, guaranteed for the queue. A turn that hasn't started is not interrupted. */
function preempt(change: AgentChange): void {
  for (const { followUpId } of change.agent.queue) change.emit({ type: 'follow-up.cleared', followUpId })
  const { run } = change.agent
  if (run?.state === 'running' && run.stopMode === 'STOP_TURN_MODE_UNSPECIFIED') {
    change.emit({ type: 'run.stop-requested', runId: run.runId, mode: 'STOP_TURN_MODE_INTERRUPT' })
  }
}

function requireRoom(agent: AgentState, { tasks, personaTasks = [] }: QueueFollowUp, quota: Quota): void {
  const pending = [...agent.queue, ...agent.deferred]
  requireWithin(quota, 'queuedFollowUpsPerAgent', pending.length + 1)
  const checklist = [...agent.tasks, ...tasks, ...personaTasks]
  requireWithin(quota, 'tasksPerAgent', countTasks(checklist, pending))
  if (checklist.length > agent.tasks.length) requireTaskRoom(checklist, quota)
}

/** Tasks that a message's own tasks can link to. Switching persona removes the previous persona's tasks. */
function remainingTasks({ tasks }: AgentState, override: SettingsOverride): readonly Task[] {
  return override.persona === undefined ? tasks : tasks.filter(({ persona }) => persona === '')
}
