import type { Repository } from '../repository.ts'

/** Which issue or pull requests a webhook is about. What it says about them is read from the host, so it is not kept. */
export interface HostEvent {
  readonly repository: Repository
  /** Of the pull request; 0 if it names none. */
  readonly number: number
  /** Of the issue, or of the pull request where hosts number both alike; 0 if it names none. */
  readonly issue: number
  /** The commit of a check, otherwise empty. */
  readonly commit: string
  /** A branch that was pushed, or that a check is for, otherwise empty. */
  readonly branch: string
}

/** GitHub's names, and those that Gitea has besides. */
const EVENTS: ReadonlySet<string> = new Set([
  'check_run',
  'check_suite',
  'issue_comment',
  'issues',
  'pull_request',
  'pull_request_approved',
  'pull_request_comment',
  'pull_request_rejected',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
  'status',
  'workflow_run',
])

const MAX_NUMBER = 2 ** 31 - 1

/** Undefined if nothing in it can concern us. The body may be anything. */
export function parseHostEvent(event: string, body: unknown): HostEvent | undefined {
  if (!EVENTS.has(event)) return undefined
  const fields = fieldsOf(body)
  const { full_name: fullName } = fieldsOf(fields['repository'])
  const [owner = '', name = '', ...rest] = textOf(fullName, 255).split('/')
  if (owner === '' || name === '' || rest.length > 0) return undefined
  const run = fieldsOf(fields['check_run'])
  const suite = { ...fieldsOf(fields['check_suite']), ...fieldsOf(run['check_suite']) }
  const work = fieldsOf(fields['workflow_run'])
  const number = numberOf([
    fieldsOf(fields['pull_request'])['number'],
    fieldsOf(fields['issue'])['number'],
    fields['number'],
  ])
  const found = {
    repository: { owner, name },
    number,
    issue: number,
    commit: firstText([run['head_sha'], suite['head_sha'], work['head_sha'], fields['sha']], 64),
    branch: firstText([suite['head_branch'], work['head_branch'], branchOf(fields['ref'])], 255),
  }
  return found.number > 0 || found.commit !== '' || found.branch !== '' ? found : undefined
}

export function branchOf(ref: unknown): string {
  const text = textOf(ref, 300)
  return text.startsWith('refs/heads/') ? text.slice('refs/heads/'.length) : ''
}

export function numberOf(values: readonly unknown[]): number {
  return values.find(isNumber) ?? 0
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= MAX_NUMBER
}

function firstText(values: readonly unknown[], maxLength: number): string {
  return values.map((value) => textOf(value, maxLength)).find((text) => text !== '') ?? ''
}

/** PostgreSQL stores no NUL, and a text that is too long cannot be what we look for. */
export function textOf(value: unknown, maxLength: number): string {
  return typeof value === 'string' && value.length <= maxLength && !value.includes('\0') ? value : ''
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
