import { AgentChange, type Decision } from '../agent/change.ts'
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

/** For what may end the agent, and with it its descendants. */
export type EndContext = RunContext & { readonly subtree: readonly AgentState[] }

/** Whether the report counted. */
export type ReportDecision = Decision<{ isCurrent: boolean }>

export function isCurrent(agent: AgentState | undefined, { runId, attempt }: Attempt): agent is AgentState {
  return (
    isLive(agent) &&
    agent.run?.runId === runId &&
    agent.run.attempt === attempt &&
    agent.run.state === 'running'
  )
}

/** Undefined for the report of an older attempt, which changes nothing. */
export function beginReport({ agent, now }: RunContext, attempt: Attempt): AgentChange | undefined {
  return isCurrent(agent, attempt) ? new AgentChange(agent, now) : undefined
}

export function saveSession(change: AgentChange, { runId }: Attempt, session: string | undefined): void {
  if (session !== undefined && session !== change.agent.session) {
    change.emit({ type: 'run.saved', runId, session })
  }
}
