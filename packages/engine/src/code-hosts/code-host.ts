import type {
  ChangedIssues,
  Conversation,
  HostIssue,
  HostPermission,
  IssueComments,
  IssueEvent,
  PullRequest,
  Repository,
  ThreadPlace,
  WantedPullRequest,
} from '@skein/core'

export interface HostRequest extends RequestInit {
  /** Only so many bytes are wanted, the last ones: for a log, which may be far longer than other answers. */
  readonly keepEnd?: number
  /** The address is not from a document: only public ones are asked, whatever the operator allows besides. */
  readonly isElsewhere?: boolean
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
  issues(repository: Repository): Promise<HostIssues>
}

/** Issues of a repository, and its pull requests as far as they are like issues. Fails with a `CodeHostError`. */
export interface HostIssues {
  /** Undefined if it is not there, or no longer: it was deleted, or moved to another repository. */
  read(number: number): Promise<HostIssue | undefined>
  /** Those that changed since a time in epoch milliseconds. */
  comments(number: number, since: number): Promise<IssueComments>
  /** Ids of comments that were minimised. */
  hidden(number: number): Promise<ReadonlySet<string>>
  /** Labels that were set, and assignments, since a time in epoch milliseconds or longer; the newest last. */
  events(number: number, since: number): Promise<readonly IssueEvent[]>
  /** Numbers of open ones that changed since a time in epoch milliseconds. */
  changed(since: number): Promise<ChangedIssues>
  /** Not repeatable: the caller looks first. */
  comment(number: number, body: string): Promise<void>
  /** Our own name; empty if the host says of what we write that a program wrote it. */
  self(): Promise<string>
}

/** More than is read of an answer. Asking for less may help. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'

  constructor() {
    super('Its answer is too large.')
  }
}

/** Clients wrap what happened in errors of their own. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof AnswerTooLarge) return true
  return error instanceof Error && error.cause !== undefined && isTooLarge(error.cause)
}

/** Why a code host did not do what it was asked. People and agents may read the message. */
export class CodeHostError extends Error {
  override readonly name = 'CodeHostError'
  /** Whether asking again is pointless. */
  readonly isFinal: boolean
  readonly retryAfterMs: number
  /** Whether what was asked for is not there: it may have been deleted, or moved. */
  readonly isMissing: boolean

  constructor(
    message: string,
    {
      isFinal,
      retryAfterMs = 0,
      isMissing = false,
      cause,
    }: {
      readonly isFinal: boolean
      readonly retryAfterMs?: number
      readonly isMissing?: boolean
      readonly cause?: unknown
    },
  ) {
    super(message, { cause })
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
    this.isMissing = isMissing
  }
}
