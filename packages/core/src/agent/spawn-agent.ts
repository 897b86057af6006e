import { SkeinError, type Labels, type Task } from '@skein/contract'
import { MAX_DEPTH } from '@skein/contract/facts'
import { requireActivations } from './activation.ts'
import { AgentChange, decide, type Decision } from './change.ts'
import { addTasks } from './checklist.ts'
import { FROM_CALLER, type AgentEvent } from './events.ts'
import { changePhase, queueRun } from './phases.ts'
import { countTasks, requireTaskRoom, requireWithin, type Quota } from './quota.ts'
import {
  agentKey,
  isLive,
  type AgentIdentity,
  type AgentSettings,
  type AgentState,
  type FollowUpBody,
} from './state.ts'

export interface SpawnAgent {
  readonly id: string
  readonly identity: AgentIdentity
  readonly description: string
  readonly expectedOutput: string
  readonly settings: AgentSettings
  readonly tasks: readonly Task[]
  readonly personaTasks: readonly Task[]
  readonly autoComplete: boolean
  readonly maxCostMicros: bigint
  readonly labels: Labels
  readonly pool: string
  readonly repos: readonly string[]
  readonly followUpId: string
  /** A message right behind the description. In a command of its own it could come after the agent's end. */
  readonly firstFollowUp?: FirstMessage
}

type FirstMessage = Pick<FollowUpBody, 'followUpId' | 'description'>

export interface SpawnContext {
  /** The current or previous agent of this identity. */
  readonly existing: AgentState | undefined
  /** Undefined for a root, and for a child whose parent does not exist. */
  readonly parent: AgentState | undefined
  readonly quota: Quota
  readonly liveAgents: number
  /** Of all pending messages in the tenant. */
  readonly queuedBytes: number
  readonly liveChildrenOfParent: number
  /** What the budgets above have left; undefined if none is set. */
  readonly budgetLeftMicros: bigint | undefined
  /** What earlier incarnations of the agent and its descendants spent. */
  readonly costBeforeMicros: bigint
  readonly now: number
}

export function spawnAgent(
  command: SpawnAgent,
  context: SpawnContext,
): Decision<{ id: string; followUpId: string }> {
  const { tasks, personaTasks, followUpId, firstFollowUp, ...facts } = command
  return beginLife(
    {
      facts: { ...facts, costBeforeMicros: context.costBeforeMicros },
      tasks: [...tasks, ...personaTasks],
      messages: [{ followUpId, description: command.description }, ...(firstFollowUp ? [firstFollowUp] : [])],
    },
    context,
  )
}

/** The initial state of an incarnation, new or resumed. */
interface Beginning {
  readonly facts: Omit<Extract<AgentEvent, { type: 'agent.spawned' }>, 'type' | 'incarnation'>
  readonly tasks: readonly Task[]
  readonly messages: readonly [FirstMessage, ...FirstMessage[]]
}

export function beginLife(
  { facts, tasks, messages }: Beginning,
  context: SpawnContext,
): Decision<{ id: string; followUpId: string }> {
  const { existing, parent, quota, now } = context
  const { identity } = facts
  if (isLive(existing)) {
    throw new SkeinError('AGENT_ALREADY_EXISTS', {
      message: `The agent ${identity.path.join('/')} is already alive.`,
    })
  }
  const isChild = identity.path.length > 1
  if (isChild && !isLive(parent)) {
    throw new SkeinError('PARENT_NOT_LIVE', {
      message: `The parent ${identity.path.slice(0, -1).join('/')} is not alive.`,
    })
  }
  requireWithin(quota, 'liveAgents', context.liveAgents + 1)
  if (isChild) requireWithin(quota, 'childrenPerAgent', context.liveChildrenOfParent + 1)

  requireActivations(tasks)

  const change = new AgentChange(existing, now)
  const parentChange = parent && isChild ? new AgentChange(parent, now) : undefined
  change.emit({
    type: 'agent.spawned',
    ...facts,
    id: existing?.id ?? facts.id,
    incarnation: (existing?.incarnation ?? 0) + 1,
    maxCostMicros: atMost(facts.maxCostMicros, context.budgetLeftMicros),
  })
  parentChange?.emit({ type: 'child.spawned', child: identity })
  const { created } = addTasks([], tasks)
  requireWithin(quota, 'tasksPerAgent', countTasks(created, []))
  requireTaskRoom(created, quota)
  for (const task of created) change.emit({ type: 'task.created', task })
  for (const message of messages) {
    const followUp = { ...message, tasks: [], override: {}, createdAt: now }
    change.emit({ type: 'follow-up.queued', ...FROM_CALLER, followUp })
  }
  changePhase(change, 'PHASE_PENDING', { parent: parentChange })
  queueRun(change, now, parentChange)
  if (messages.length > 1) {
    requireWithin(quota, 'queuedFollowUpsPerAgent', messages.length)
    requireWithin(quota, 'queuedBytesPerAgent', change.queuedBytesDelta)
  }
  requireWithin(quota, 'queuedBytes', context.queuedBytes + change.queuedBytesDelta)
  const answer = { id: change.agent.id, followUpId: messages[0].followUpId }
  return decide(answer, change, ...(parentChange ? [parentChange] : []))
}

/** Capped by what is left above. A child that requests no budget is limited by the budgets above only. */
function atMost(wanted: bigint, left: bigint | undefined): bigint {
  if (wanted === 0n || left === undefined || wanted < left) return wanted
  if (left > 0n) return left
  // A budget of 0 would mean none: once the one above is raised, nothing would hold the child.
  throw new SkeinError('BUDGET_USED_UP', { message: 'Nothing is left of the budget above the agent.' })
}

export function requireDepth(identity: AgentIdentity, field = 'agentId'): void {
  if (identity.path.length >= 1 && identity.path.length <= MAX_DEPTH) return
  throw new SkeinError('REQUEST_INVALID', {
    message: `${agentKey(identity)} is not 1 to ${MAX_DEPTH} levels deep.`,
    violations: [{ field: `${field}.agent`, description: `must have 1 to ${MAX_DEPTH} elements` }],
  })
}
