import type { Task } from '@skein/contract'
import { isAtRest, isTerminal } from '@skein/contract/facts'
import { byteSize } from './byte-size.ts'
import type { AgentEvent, RecordedEvent } from './events.ts'
import {
  NO_USAGE,
  type AgentIdentity,
  type AgentState,
  type FollowUpBody,
  type PendingFollowUp,
  type PushedBranch,
  type RunRecord,
  type Usage,
} from './state.ts'

/** Applies one event to an agent. The only function that changes state. */
export function evolve(agent: AgentState | undefined, { sequence, at, event }: RecordedEvent): AgentState {
  if (event.type === 'agent.spawned') return spawned(agent, event, sequence, at)
  if (!agent) throw new Error(`${event.type} happened to an agent that was never spawned`)
  const next = apply(agent, event, at)
  // What changed is a copy already: another would cost a kill of thousands of agents a third of its decision.
  return next === agent ? { ...agent, sequence } : Object.assign(next, { sequence })
}

/** Rebuilds the state from a whole timeline. */
export function replay(events: readonly RecordedEvent[]): AgentState | undefined {
  return events.reduce<AgentState | undefined>(evolve, undefined)
}

type Spawned = Extract<AgentEvent, { type: 'agent.spawned' }>

/** A new incarnation keeps the run count and the cost; a resumed one also keeps the conversation. */
function spawned(agent: AgentState | undefined, event: Spawned, sequence: bigint, at: number): AgentState {
  const { type: _type, ...facts } = event
  return {
    ...facts,
    sequence,
    firstSequence: sequence,
    phase: 'PHASE_UNSPECIFIED',
    tasks: [],
    queue: [],
    deferred: [],
    runCount: agent?.runCount ?? 0n,
    runsBefore: agent?.runCount ?? 0n,
    usage: agent?.usage ?? NO_USAGE,
    needsInput: '',
    awaits: [],
    ...sessionOf(agent, event),
    ...(event.resumed === true && agent?.branches && { branches: agent.branches }),
    output: '',
    lastMessage: '',
    createdAt: at,
    progressAt: at,
  }
}

function sessionOf(
  agent: AgentState | undefined,
  { resumed }: Spawned,
): Pick<AgentState, 'session' | 'discarded'> {
  const session = agent?.session ?? ''
  if (resumed === true) return { session }
  return session === '' ? { session } : { session: '', discarded: session }
}

function apply(agent: AgentState, event: Exclude<AgentEvent, Spawned>, at: number): AgentState {
  switch (event.type) {
    case 'agent.phase-changed':
      return {
        ...agent,
        phase: event.to,
        needsInput: event.needsInput,
        ...(isTerminal(event.to) && { endedAt: at }),
      }
    case 'agent.settings-changed':
      return { ...agent, settings: event.settings }
    case 'agent.budget-changed': {
      const { budgetReached: _before, ...rest } = agent
      return { ...rest, maxCostMicros: event.maxCostMicros }
    }
    case 'agent.budget-reached':
      return { ...agent, budgetReached: event.percent }
    case 'follow-up.queued':
      return { ...agent, queue: [...agent.queue, toPending(event.followUp)] }
    case 'follow-up.deferred':
      return { ...agent, deferred: [...agent.deferred, toPending(event.followUp)] }
    case 'follow-up.due':
      return due(agent, event.followUpId)
    case 'follow-up.delivered':
    case 'follow-up.cleared':
    case 'follow-up.removed':
    case 'follow-up.dropped':
      return {
        ...agent,
        queue: without(agent.queue, event.followUpId),
        deferred: without(agent.deferred, event.followUpId),
      }
    case 'run.queued':
      return { ...agent, runCount: event.runId, run: queuedRun(agent.run, event, at), awaits: [] }
    case 'run.started':
      return inRun(agent, { state: 'running', attempt: event.attempt, startedAt: at }, at)
    case 'run.progressed':
    case 'run.tool-started':
    case 'run.tool-called':
      return inRun(agent, {}, at)
    case 'run.pushed':
      return inRun({ ...agent, branches: pushed(agent.branches, event) }, {}, at)
    case 'run.message':
      return inRun({ ...agent, lastMessage: event.text }, {}, at)
    case 'run.metered':
      return metered(agent, event, at)
    case 'run.stop-requested':
      return inRun(agent, {
        stopMode: event.mode,
        stopRequestedAt: agent.run?.stopRequestedAt ?? at,
      })
    case 'run.saved':
      return { ...agent, session: event.session }
    case 'run.attempt-lost':
    case 'run.attempt-failed':
      return inRun(agent, { failures: (agent.run?.failures ?? 0) + 1 })
    case 'run.paused':
      return agent
    case 'run.ended':
      return {
        ...inRun(
          agent,
          { state: 'ended', endedAt: at, endReason: event.reason, limit: event.limit ?? '' },
          at,
        ),
        output: event.output,
        ...(event.message !== '' && { lastMessage: event.message }),
        ...(event.error && { error: event.error }),
      }
    case 'task.created':
      return { ...agent, tasks: [...agent.tasks, event.task] }
    case 'task.updated':
      return { ...agent, tasks: agent.tasks.map((task) => (task.id === event.task.id ? event.task : task)) }
    case 'task.removed':
      return { ...agent, tasks: withoutTask(agent.tasks, event.taskId) }
    case 'task.activated':
      return inRun(agent, { activeTaskIds: [...(agent.run?.activeTaskIds ?? []), event.taskId] })
    case 'children.awaited':
      return { ...agent, awaits: event.children }
    case 'child.spawned':
      return agent
    case 'child.phase-changed':
      return isAtRest(event.phase) ? { ...agent, awaits: withoutChild(agent.awaits, event.child) } : agent
  }
}

function withoutChild(awaits: readonly string[], child: AgentIdentity): readonly string[] {
  const name = child.path.at(-1) ?? ''
  return awaits.includes(name) ? awaits.filter((other) => other !== name) : awaits
}

/** Names come from the runner, and an agent rarely has more branches. The timeline has them all. */
const MAX_BRANCHES = 8

function pushed(
  branches: readonly PushedBranch[] = [],
  { repo, ref, commit }: Extract<AgentEvent, { type: 'run.pushed' }>,
): readonly PushedBranch[] {
  const others = branches.filter((branch) => branch.repo !== repo || branch.ref !== ref)
  return [{ repo, ref, commit }, ...others].slice(0, MAX_BRANCHES)
}

function toPending(followUp: FollowUpBody): PendingFollowUp {
  const { followUpId, override, tasks, personaTasks, steers, deliverAt } = followUp
  return {
    followUpId,
    hasOverride: Object.keys(override).length > 0,
    taskCount: tasks.length + (personaTasks?.length ?? 0),
    bytes: byteSize(followUp),
    ...(steers === true && { steers }),
    ...(deliverAt !== undefined && { deliverAt }),
  }
}

function due(agent: AgentState, followUpId: string): AgentState {
  const message = agent.deferred.find((pending) => pending.followUpId === followUpId)
  if (!message) return agent
  const { deliverAt: _deliverAt, ...queued } = message
  return { ...agent, deferred: without(agent.deferred, followUpId), queue: [...agent.queue, queued] }
}

function without(pending: readonly PendingFollowUp[], followUpId: string): readonly PendingFollowUp[] {
  return pending.some((message) => message.followUpId === followUpId)
    ? pending.filter((message) => message.followUpId !== followUpId)
    : pending
}

/** A retry continues the same run, including what it has spent so far. */
function queuedRun(
  run: RunRecord | undefined,
  { runId, attempt, availableAt }: { runId: bigint; attempt: number; availableAt: number },
  at: number,
): RunRecord {
  return {
    runId,
    attempt,
    state: 'queued',
    queuedAt: at,
    ...(availableAt > at && { availableAt }),
    stopMode: 'STOP_TURN_MODE_UNSPECIFIED',
    endReason: '',
    usage: run?.runId === runId ? run.usage : NO_USAGE,
    limit: '',
    failures: run?.runId === runId ? run.failures : 0,
    activeTaskIds: run?.runId === runId ? run.activeTaskIds : [],
  }
}

function inRun(agent: AgentState, changes: Partial<RunRecord>, progressAt = agent.progressAt): AgentState {
  if (!agent.run) throw new Error('An event of a run happened to an agent without one')
  return {
    ...agent,
    run: { ...agent.run, ...changes },
    ...(progressAt !== undefined && { progressAt }),
  }
}

function metered(agent: AgentState, usage: Usage, at: number): AgentState {
  const run = agent.run?.usage ?? NO_USAGE
  return inRun({ ...agent, usage: addUsage(agent.usage, usage) }, { usage: addUsage(run, usage) }, at)
}

export function addUsage(left: Usage, right: Usage): Usage {
  return {
    costMicros: left.costMicros + right.costMicros,
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  }
}

/** Removes the task together with all links to it, at both ends. */
function withoutTask(tasks: readonly Task[], taskId: string): readonly Task[] {
  const removed = tasks.find(({ id }) => id === taskId)
  if (!removed) return tasks
  const blocked = new Set(removed.blocks)
  const blockers = new Set(removed.blockedBy)
  return tasks.flatMap((task) => {
    if (task === removed) return []
    const blocks = blockers.has(task.id) ? task.blocks.filter((id) => id !== taskId) : task.blocks
    const blockedBy = blocked.has(task.id) ? task.blockedBy.filter((id) => id !== taskId) : task.blockedBy
    return blocks === task.blocks && blockedBy === task.blockedBy ? task : { ...task, blocks, blockedBy }
  })
}
