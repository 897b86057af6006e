import type { Tenant } from '@skein/contract'
import type { AgentState, Repository } from '@skein/core'
import type { HeldPullRequest, PullRequestRecord } from '@skein/store'
import type { EngineResources } from '../../resources.ts'

/** What a step knows before it asks the host anything. */
export interface ReviewContext {
  readonly engine: EngineResources
  readonly held: HeldPullRequest
  readonly record: PullRequestRecord
  readonly repository: Repository
  readonly tenant: Tenant
  /** Undefined once it was removed. */
  readonly agent: AgentState | undefined
  readonly roundLimit: number
}
