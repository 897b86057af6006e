export type GitErrorKind =
  'unsupported' | 'unreachable' | 'auth' | 'not-found' | 'moved' | 'no-branch' | 'busy' | 'failed'

/** The message is for the person who reads the agent's status. It holds no credential. */
export class GitError extends Error {
  readonly kind: GitErrorKind

  constructor(kind: GitErrorKind, message: string) {
    super(message)
    this.name = 'GitError'
    this.kind = kind
  }
}

interface Failure {
  readonly kind: GitErrorKind
  readonly sign: RegExp
  /** Follows the address of the repository. */
  readonly says: string
}

const UNREACHABLE: Failure = {
  kind: 'unreachable',
  sign: /could not resolve|failed to connect|couldn't connect|connection (?:refused|reset)|timed out|too slow|SSL|error: 5\d\d\b|unable to access|hung up|early EOF/i,
  says: 'cannot be reached',
}

/** The first whose sign is found. */
const FAILURES: readonly Failure[] = [
  {
    kind: 'auth',
    sign: /Authentication failed|could not read (?:Username|Password)|prompts disabled|error: 40[13]\b/i,
    says: 'refuses the credential of the workspace',
  },
  {
    kind: 'moved',
    sign: /error: 30[1278]\b|redirect/i,
    says: 'answers from another address: put the new address into the workspace',
  },
  {
    kind: 'not-found',
    sign: /repository '?.*'? not found|error: 404\b|not appear to be a git repository|does not exist/i,
    says: 'does not exist, or the credential of the workspace cannot see it',
  },
  UNREACHABLE,
  { kind: 'failed', sign: /(?:)/, says: 'could not be used' },
]

/** Tells from what git printed why an upstream could not be used. */
export function classifyGitFailure(url: string, stderr: string, isTimedOut: boolean): GitError {
  if (isTimedOut) return new GitError('unreachable', `The repository ${url} did not answer in time`)
  const { kind, says } = FAILURES.find(({ sign }) => sign.test(stderr)) ?? UNREACHABLE
  const detail = lastLine(stderr)
  return new GitError(kind, `The repository ${url} ${says}${detail && `: ${detail}`}`)
}

function lastLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return (lines.findLast((line) => /^(?:fatal|error|remote):/.test(line)) ?? lines.findLast(Boolean) ?? '')
    .replace(/^(?:fatal|error|remote): */, '')
    .slice(0, 300)
}
