import type { HostStarts } from '@skein/contract'
import { isSameText } from '../repository.ts'
import { isOwnText, type HostPermission } from '../reviews/conversation.ts'
import type { HostIssue, IssueComment, IssueEvent } from './host-issue.ts'
import { START_LIMITS } from './limits.ts'
import { isMentioned } from './mention.ts'
import type { SeenRequests } from './start-state.ts'

export type StartPolicy = Pick<HostStarts, 'mention' | 'label' | 'assignee'>

/** Somebody wants an agent, or somebody who may not. */
export interface StartRequest {
  readonly by: 'mention' | 'label' | 'assignment'
  /** `body`, or the id of a comment or an event. */
  readonly key: string
  readonly person: string
  /** Of a comment. */
  readonly text: string
  readonly at: number
}

export interface ReadIssue {
  readonly issue: HostIssue
  readonly comments: readonly IssueComment[]
  readonly events: readonly IssueEvent[]
}

interface Watched {
  readonly policy: StartPolicy
  readonly seen: SeenRequests
  /** Nothing from before counts. */
  readonly notBefore: number
}

/** Whether events have to be read at all: a label is there, or an assignment. */
export function mayHaveEvents(issue: HostIssue, policy: StartPolicy): boolean {
  return hasLabel(issue, policy) || isAssigned(issue, policy)
}

function hasLabel({ labels }: HostIssue, { label }: StartPolicy): boolean {
  return label !== '' && labels.some((name) => isSameText(name, label))
}

function isAssigned({ assignees }: HostIssue, { assignee }: StartPolicy): boolean {
  return assignee !== '' && assignees.some((login) => isSameText(login, assignee))
}

/** Requests that were not dealt with, by people and nobody else. Whether they may is not known yet. The newest last. */
export function findRequests({ issue, comments, events }: ReadIssue, watched: Watched): StartRequest[] {
  const { policy, seen, notBefore } = watched
  const known = new Set([...seen.comments, ...seen.others])
  const found: StartRequest[] = comments
    .filter(({ id, isHidden, mayHaveAccess }) => !known.has(id) && !isHidden && mayHaveAccess)
    .filter(({ author, isBot }) => isPerson(author, isBot))
    .filter(({ body }) => !isOwnText(body) && isMentioned(body, policy.mention))
    .map(({ id, author, body, createdAt }) => ({
      by: 'mention',
      key: id,
      person: author,
      text: body,
      at: createdAt,
    }))
  const isBody = !seen.hasBody && issue.mayHaveAccess && isPerson(issue.author, issue.isBot)
  if (isBody && !isOwnText(issue.body) && isMentioned(issue.body, policy.mention)) {
    found.push({ by: 'mention', key: 'body', person: issue.author, text: '', at: issue.createdAt })
  }
  for (const [by, event, done] of [
    ['label', hasLabel(issue, policy) && newest(events, 'labeled', policy.label), seen.label],
    ['assignment', isAssigned(issue, policy) && newest(events, 'assigned', policy.assignee), seen.assignment],
  ] as const) {
    if (event && event.id !== done && isPerson(event.actor, event.isBot)) {
      found.push({ by, key: event.id, person: event.actor, text: '', at: event.at })
    }
  }
  return found.filter(({ at }) => at >= notBefore).toSorted((left, right) => left.at - right.at)
}

function isPerson(login: string, isBot: boolean): boolean {
  return !isBot && login !== ''
}

function newest(
  events: readonly IssueEvent[],
  type: IssueEvent['type'],
  name: string,
): IssueEvent | undefined {
  return events.findLast((event) => event.type === type && isSameText(event.name, name))
}

export function mayStart(login: string, permissions: ReadonlyMap<string, HostPermission>): boolean {
  const permission = permissions.get(login.toLowerCase())
  return permission === 'admin' || permission === 'write'
}

/** Whose access has to be known: of those who ask, and of the issue's author. The newest count first. */
export function peopleToCheck(requests: readonly StartRequest[], issue: HostIssue): string[] {
  if (requests.length === 0) return []
  const author = issue.isBot || !issue.mayHaveAccess ? [] : [issue.author]
  const logins = [...author, ...requests.map(({ person }) => person).toReversed()].map((login) =>
    login.toLowerCase(),
  )
  return [...new Set(logins)].filter((login) => login !== '').slice(0, START_LIMITS.authors)
}

/** Nothing of it is looked at again, no matter who asked. */
export function noteSeen(
  seen: SeenRequests,
  requests: readonly StartRequest[],
  isPermitted: (request: StartRequest) => boolean,
): SeenRequests {
  const of = (by: StartRequest['by']) => requests.findLast((request) => request.by === by)?.key
  const mentions = requests.filter(({ by, key }) => by === 'mention' && key !== 'body')
  const keep = (keys: readonly string[], more: readonly StartRequest[]) =>
    [...keys, ...more.map(({ key }) => key)].slice(-START_LIMITS.seenComments)
  return {
    hasBody: seen.hasBody || requests.some(({ key }) => key === 'body'),
    label: of('label') ?? seen.label,
    assignment: of('assignment') ?? seen.assignment,
    comments: keep(
      seen.comments,
      mentions.filter((request) => isPermitted(request)),
    ),
    others: keep(
      seen.others,
      mentions.filter((request) => !isPermitted(request)),
    ),
  }
}
