import {
  findRequests,
  isOwnText,
  isSameText,
  mayHaveEvents,
  mayStart,
  noteSeen,
  peopleToCheck,
  START_LIMITS,
  type HostIssue,
  type HostPermission,
  type StartRequest,
  type StartState,
} from '@skein/core'
import type { CodeHost, HostIssues } from '../code-host.ts'
import type { IssueContext } from './issue-context.ts'

/** Hosts tell times in whole seconds. */
const SECOND_MS = 1_000

export interface GatheredRequests {
  /** The state after looking, without an order. */
  readonly state: StartState
  readonly issue: HostIssue
  /** Of people who may. */
  readonly requests: readonly StartRequest[]
  readonly isIssueTrusted: boolean
  /** Whether there is more than could be read, or more people asked than could be checked. */
  readonly isMore: boolean
}

/** Reads an issue from its host, and who asked for an agent. Undefined if it is gone. */
export async function gatherRequests(
  { engine, held, record, watch, policy }: IssueContext,
  host: CodeHost,
): Promise<GatheredRequests | undefined> {
  const { state } = record
  const { number } = held
  const issues = await host.issues(held.repository)
  const issue = await issues.read(number)
  if (!issue) return undefined
  const enabledAt = Math.floor(watch.since / SECOND_MS) * SECOND_MS
  const notBefore = Math.max(enabledAt, engine.clock.now() - START_LIMITS.maxAgeMs)
  const { comments, readUntil, isAll } = await issues.comments(number, Math.max(state.readUntil, notBefore))
  const events = mayHaveEvents(issue, policy) ? await issues.events(number, notBefore) : []
  const found = findRequests({ issue, comments, events }, { policy, seen: state.seen, notBefore })
  if (found.length === 0) {
    return { state: { ...state, readUntil }, issue, requests: [], isIssueTrusted: false, isMore: !isAll }
  }
  const self = await issues.self()
  const isSelf = (login: string) => self !== '' && isSameText(login, self)
  const hidden = await readHidden(issues, number, found)
  const asked = found.filter(({ key, person }) => !hidden.has(key) && !isSelf(person))
  const permissions = await readPermissions(host, held.repository, peopleToCheck(asked, issue))
  const unchecked = new Set(asked.filter(({ person }) => !permissions.has(person.toLowerCase())))
  const isIssueTrusted =
    !issue.isBot && issue.mayHaveAccess && !isSelf(issue.author) && !isOwnText(issue.body)
  return {
    state: {
      ...state,
      readUntil: unchecked.size > 0 ? state.readUntil : readUntil,
      seen: noteSeen(
        state.seen,
        found.filter((request) => !unchecked.has(request)),
        ({ person }) => mayStart(person, permissions),
      ),
    },
    issue,
    requests: asked.filter(({ person }) => mayStart(person, permissions)),
    isIssueTrusted: isIssueTrusted && mayStart(issue.author, permissions),
    isMore: unchecked.size > 0 || !isAll,
  }
}

async function readHidden(
  issues: HostIssues,
  number: number,
  found: readonly StartRequest[],
): Promise<ReadonlySet<string>> {
  return found.some(({ text }) => text !== '') ? issues.hidden(number) : new Set()
}

/** Asked again each time: access may have been withdrawn. */
async function readPermissions(
  host: CodeHost,
  repository: IssueContext['held']['repository'],
  logins: readonly string[],
): Promise<ReadonlyMap<string, HostPermission>> {
  const permissions = new Map<string, HostPermission>()
  for (const login of logins) permissions.set(login, await host.readPermission(repository, login))
  return permissions
}
