import type { AgentChange } from '../agent/change.ts'
import { isLive, type AgentState } from '../agent/state.ts'

/** The attempt a runner's report is about. Reports of an older attempt are ignored. */
export interface Attempt {
  readonly runId: bigint
  readonly attempt: number
}

export interface RunContext {
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

export function saveSession(change: AgentChange, { runId }: Attempt, session: string | undefined): void {
  if (session !== undefined && session !== change.agent.session) {
    change.emit({ type: 'run.saved', runId, session })
  }
}
