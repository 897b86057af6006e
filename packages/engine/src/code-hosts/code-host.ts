import type {
  Conversation,
  HostPermission,
  PullRequest,
  Repository,
  ThreadPlace,
  WantedPullRequest,
} from '@skein/core'

export interface HostRequest extends RequestInit {
  /** Only so many bytes are wanted, the last ones: for a log, which may be far longer than other answers. */
  readonly keepEnd?: number
}

/**
 * Requests to a code host: only to allowed addresses, within limits. Never follows a redirect. The answer is complete, and
 * its `content-length` is how long it is.
 */
export type HostFetch = (input: string | URL | Request, init?: HostRequest) => Promise<Response>

export interface MintedCredential {
  /** For git over HTTP, as user:password. */
  readonly credential: string
  /** In epoch milliseconds; 0 if the host does not say. */
  readonly expiresAt: number
}

/** What we need of a code host. Each call can be repeated. Fails with a `CodeHostError`. */
export interface CodeHost {
  /** For these repositories, all of one owner, and no others if the host can limit it. */
  mintCredential(repositories: readonly Repository[]): Promise<MintedCredential>
  /** Open ones of a branch of the repository itself, never of a fork. May leave out those for another base. */
  findPullRequests(
    repository: Repository,
    branches: Pick<WantedPullRequest, 'head' | 'base'>,
  ): Promise<readonly PullRequest[]>
  readPullRequest(repository: Repository, number: number): Promise<PullRequest>
  openPullRequest(repository: Repository, wanted: WantedPullRequest): Promise<PullRequest>
  updatePullRequest(
    repository: Repository,
    number: number,
    changes: Partial<Pick<WantedPullRequest, 'base' | 'title' | 'body'>>,
  ): Promise<PullRequest>
  /** Ends that it is a draft. Its title has been set to one that says nothing else. */
  markReady(repository: Repository, number: number): Promise<void>
  /** Returns the labels that it has then. A host may leave out those that it does not know. */
  addLabels(repository: Repository, number: number, labels: readonly string[]): Promise<readonly string[]>
  /** Comments that changed since a time in epoch milliseconds; threads, checks and reviews as they are now. */
  readConversation(repository: Repository, number: number, since: number): Promise<Conversation>
  /** What the host lets a person do in the repository. */
  readPermission(repository: Repository, login: string): Promise<HostPermission>
  /** In the thread if the host has replies there, else next to it. Not repeatable: the caller looks first. */
  postAnswer(repository: Repository, number: number, place: ThreadPlace, body: string): Promise<void>
  resolveThread(repository: Repository, number: number, place: ThreadPlace): Promise<void>
  requestReview(repository: Repository, number: number, logins: readonly string[]): Promise<void>
}

/** Why a code host did not do what it was asked. People and agents may read the message. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError'
  /** Whether asking again is pointless. */
  readonly isFinal: boolean
  readonly retryAfterMs: number

  constructor(
    message: string,
    {
      isFinal,
      retryAfterMs = 0,
      cause,
    }: { readonly isFinal: boolean; readonly retryAfterMs?: number; readonly cause?: unknown },
  ) {
    super(message, { cause })
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
  }
}
