import { SkeinError } from '@skein/contract'
import { AgentChange, decide, type Decision } from './change.ts'
import { changePhase } from './phases.ts'
import { agentKey, isLive, parentIdentity, type AgentState } from './state.ts'

/**
 * Ends an agent and all its descendants. None can escape: spawning a child takes the same lock, so the child is
 * either already in `subtree` or finds its parent dead.
 */
export function killAgent({
  agent,
  subtree,
  parent,
  now,
}: {
  agent: AgentState | undefined
  /** All descendants, in any order. */
  subtree: readonly AgentState[]
  parent: AgentState | undefined
  now: number
}): Decision<Record<string, never>> {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  const parentChange = parent && new AgentChange(parent, now)
  return decide(
    {},
    ...killAll([agent, ...subtree], parentChange, now),
    ...(parentChange ? [parentChange] : []),
  )
}

/**
 * Kills every live agent in the list, deepest first, so that a parent records its children's ends before its own.
 * `above`, if given, is notified and stays alive.
 */
export function killAll(
  agents: readonly AgentState[],
  above: AgentChange | undefined,
  now: number,
): readonly AgentChange[] {
  const changes = agents.map((agent) => new AgentChange(agent, now))
  const byKey = new Map(changes.map((change) => [agentKey(change.agent.identity), change]))
  if (above) byKey.set(agentKey(above.agent.identity), above)
  const live = changes.filter(({ agent }) => isLive(agent))
  for (const change of live) awaitNobody(change)
  const deepestFirst = live.toSorted((left, right) => depthOf(right) - depthOf(left))
  for (const change of deepestFirst) {
    const parent = parentIdentity(change.agent.identity)
    cancel(change, parent && byKey.get(agentKey(parent)))
  }
  return changes
}

function depthOf({ agent }: AgentChange): number {
  return agent.identity.path.length
}

/** An agent that is about to end must not be woken by its children ending. */
function awaitNobody(change: AgentChange): void {
  if (change.agent.awaits.length > 0) change.emit({ type: 'children.awaited', children: [] })
}

function cancel(change: AgentChange, parent: AgentChange | undefined): void {
  endRunAsKilled(change)
  changePhase(change, 'PHASE_CANCELED', { parent })
}

/** The runner is told immediately. Its later reports are rejected, because the run has ended. */
function endRunAsKilled(change: AgentChange): void {
  const { run } = change.agent
  if (run === undefined || run.state === 'ended') return
  if (run.state === 'running') {
    change.emit({ type: 'run.stop-requested', runId: run.runId, mode: 'STOP_TURN_MODE_KILL' })
  }
  change.emit({
    type: 'run.ended',
    runId: run.runId,
    reason: 'killed',
    message: '',
    output: change.agent.output,
  })
  removeEphemeralTasks(change)
}

/** Ephemeral tasks live for exactly one run. */
export function removeEphemeralTasks(change: AgentChange): void {
  for (const { id, ephemeral } of change.agent.tasks) {
    if (ephemeral) change.emit({ type: 'task.removed', taskId: id })
  }
}
