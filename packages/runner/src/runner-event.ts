import type { AgentId, Assignment } from '@skein/contract'

/** Which agent, as log lines name it. */
export interface AgentNames {
  readonly tenant: string
  readonly workspace: string
  readonly owner: string
  /** The path, joined by slashes. */
  readonly agent: string
}

/** Which run, as log lines name it. */
export interface RunNames extends AgentNames {
  readonly runId: string
  readonly attempt: number
}

/** For logs and metrics. */
export type RunnerEvent =
  | {
      readonly type: 'model-called'
      readonly costUsd: number
      readonly isFirst: boolean
      readonly sinceStartMs: number
    }
  | { readonly type: 'run-began'; readonly run: RunNames }
  /** The reason is that of its outcome, or "lost" if another runner has it. */
  | {
      readonly type: 'run-ended'
      readonly run: RunNames
      readonly reason: string
      readonly durationMs: number
      readonly costUsd: number
    }
  /** Something this runner should offer but cannot. */
  | { readonly type: 'missing'; readonly what: string; readonly reason: string }
  /** It works now. */
  | { readonly type: 'fixed'; readonly what: string }
  | { readonly type: 'unreachable'; readonly message: string }
  | { readonly type: 'problem'; readonly about?: AgentNames | RunNames; readonly message: string }

export function namesOf({ tenant, workspace, account, agent }: AgentId): AgentNames {
  return { tenant: tenant.org, workspace, owner: account, agent: agent.join('/') }
}

export function nameRun({ agentId, runId, attempt }: Assignment): RunNames {
  return { ...namesOf(agentId), runId, attempt }
}
