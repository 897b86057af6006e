export type GitErrorKind = 'unsupported' | 'unreachable' | 'auth' | 'moved' | 'no-branch' | 'busy' | 'failed'

/** The message is for people reading the agent's status. It contains no credentials. */
export class GitError extends Error {
  readonly kind: GitErrorKind
  /** Git's output, only for the runner's log: it would reveal what exists in its network. */
  readonly detail: string

  constructor(kind: GitErrorKind, message: string, detail = '') {
    super(message)
    this.name = 'GitError'
    this.kind = kind
    this.detail = detail
  }
}

interface Failure {
  readonly kind: GitErrorKind
  readonly sign: RegExp
  /** Follows the repository's URL. */
  readonly says: string
}

/** The first match applies. */
const FAILURES: readonly Failure[] = [
  {
    kind: 'auth',
    sign: /Authentication failed|could not read (?:Username|Password)|prompts disabled|error: 40[13]\b/i,
    says: 'rejects the workspace’s credential',
  },
  {
    kind: 'moved',
    sign: /error: 30[1278]\b|redirect/i,
    says: 'redirects to another URL: update the URL in the workspace',
  },
  {
    kind: 'failed',
    sign: /No space left|Read-only file system|cannot lock ref|unable to create/i,
    says: 'could not be stored by the runner',
  },
]

/** One message for all of these: different ones would reveal which ports of the runner's network are open. */
const UNREACHABLE = 'cannot be reached, does not exist, or is not accessible with the workspace’s credential'

/** Classifies git's output when an upstream could not be used. */
export function classifyGitFailure(url: string, stderr: string, isTimedOut: boolean): GitError {
  const known = isTimedOut ? undefined : FAILURES.find(({ sign }) => sign.test(stderr))
  const { kind, says } = known ?? { kind: 'unreachable' as const, says: UNREACHABLE }
  return new GitError(
    kind,
    `The repository ${url} ${says}`,
    isTimedOut ? 'no answer in time' : lastLine(stderr),
  )
}

function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return (lines.findLast((line) => /^(?:fatal|error|remote):/.test(line)) ?? lines.findLast(Boolean) ?? '')
    .replace(/^(?:fatal|error|remote): */, '')
    .slice(0, 300)
}
