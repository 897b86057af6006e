/** What an agent says about its pull request. */
export interface AskedPullRequest {
  readonly title: string
  readonly body: string
  readonly draft: boolean
  readonly labels: readonly string[]
  readonly reviewers: readonly string[]
  /** The branch to merge into; empty for the one that its work started from. */
  readonly base: string
  /** Whether to merge into the branch of the agent's parent instead. */
  readonly intoParent: boolean
  /** The repository's folder; empty for the main one. */
  readonly repo: string
}

export interface OpenedPullRequest {
  readonly number: number
  readonly url: string
  readonly base: string
  readonly draft: boolean
  /** What the code host did not do besides. */
  readonly problems: readonly string[]
}

/** An answer to a thread of a pull request. */
export interface ThreadAnswer {
  readonly thread: string
  readonly text: string
  readonly resolve: boolean
}

/** Opens pull requests for the branch of one run's agent. Throws `ToolRefusal` for problems the agent can fix. */
export interface PullRequests {
  open(asked: AskedPullRequest): Promise<OpenedPullRequest>
  /** Posted when the agent rests. */
  answer(answer: ThreadAnswer): Promise<void>
}
