import type { PullRequest, Repository, WantedPullRequest } from '@skein/core'
import type { MintedCredential } from './code-host.ts'

interface MintCredential {
  readonly type: 'mint-credential'
  readonly repositories: readonly Repository[]
}

/** Everything that the record of the pull request needs, so that the server that carries it out can write it. */
export interface OpenPullRequest {
  readonly type: 'open-pull-request'
  readonly repository: Repository
  readonly wanted: WantedPullRequest
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
  readonly agentId: string
  readonly workspace: string
  readonly account: string
  /** Missing in a call that an older server recorded. */
  readonly ownerProvider?: string
  readonly agent: string
}

/** What a server is to ask a code host. Stored until it is done, so that any server can continue. */
export type HostCall = MintCredential | OpenPullRequest

/** An opened one, with the name and URL of its record. */
export interface OpenedPullRequest extends Omit<PullRequest, 'body'> {
  readonly name: string
  readonly url: string
  /** What the host refused besides. */
  readonly problems: readonly string[]
}

/** What it answers, by the type of the call. */
export interface HostAnswers {
  readonly 'mint-credential': MintedCredential
  readonly 'open-pull-request': OpenedPullRequest
}

/** Bound to the sealed answer. */
export function answerPlace(tenantId: string, callId: string): string {
  return `${tenantId}/code-host-call/${callId}`
}
