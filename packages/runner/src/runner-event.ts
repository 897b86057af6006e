import type { AgentId, Assignment } from '@skein/contract'
import type { BlobOperation } from '@skein/host/blobs'

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
      readonly provider: string
      /** The provider's status; 0 if it had not answered. */
      readonly status: number
      readonly durationMs: number
      readonly costUsd: number
      readonly isFirst: boolean
      readonly sinceStartMs: number
    }
  /** Before a run's first model call is sent. */
  | { readonly type: 'first-model-call'; readonly sinceQueuedMs: number }
  /** A repository could not be read or written; the kind is that of the GitError, or "save". */
  | { readonly type: 'git-failed'; readonly kind: string }
  | { readonly type: 'blob-failed'; readonly operation: BlobOperation }
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

/** How a run ended. */
export type RunEnd = Pick<Extract<RunnerEvent, { type: 'run-ended' }>, 'reason' | 'durationMs' | 'costUsd'>

export function namesOf({ tenant, workspace, account, agent }: AgentId): AgentNames {
  return { tenant: tenant.org, workspace, owner: account, agent: agent.join('/') }
}

export function nameRun({ agentId, runId, attempt }: Assignment): RunNames {
  return { ...namesOf(agentId), runId, attempt }
}
