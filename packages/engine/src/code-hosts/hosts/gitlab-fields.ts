import type { HostComment, PullRequest, Repository } from '@skein/core'
import type { Fields } from './gitlab-api.ts'
import { toPullRequest } from './to-pull-request.ts'
import { bodyOf, fieldsOf, idOf, textOf } from './to-conversation.ts'

const MAX_LOGIN = 255
/** As GitLab reads them, however many there are. */
const DRAFT = /^(?:\s*(?:\[draft\]|\(draft\)|draft:))+\s*/i
/** Tokens of projects and groups, and service accounts, as GitLab names them. About others it is asked. */
const PROGRAM = /^(?:(?:project|group)_[0-9]+_bot(?:_?[0-9a-z]+)?|service_account_[0-9a-z_]+)$/i

export function projectPath({ owner, name }: Repository): string {
  return `/projects/${encodeURIComponent(`${owner}/${name}`)}`
}

export function usernameOf(user: unknown): string {
  return textOf(fieldsOf(user)['username'], MAX_LOGIN)
}

export function isNamedProgram(user: unknown): boolean {
  return PROGRAM.test(usernameOf(user))
}

/** What was imported may be shown as written by who imported it. */
export function mayHaveAccess({ author, imported }: Fields): boolean {
  const { state = 'active' } = fieldsOf(author)
  return imported !== true && state === 'active'
}

/** A note of a merge request or an issue, written by a person or a program. */
export function toComment(note: Fields): HostComment {
  return {
    id: `n${idOf(note['id'])}`,
    author: usernameOf(note['author']),
    isBot: isNamedProgram(note['author']),
    isHidden: note['internal'] === true || note['confidential'] === true,
    mayHaveAccess: mayHaveAccess(note),
    body: bodyOf(note['body']),
  }
}

export function undraft(title: string): string {
  return title.replace(DRAFT, '')
}

/** A merge request. */
export function toPull(answer: Fields): PullRequest {
  const { iid, title, description, state, draft, work_in_progress: isInProgress } = answer
  return toPullRequest({
    number: iid,
    title: typeof title === 'string' ? undraft(title) : '',
    body: description,
    // While it is being merged it is locked, and that may fail.
    state: state === 'opened' || state === 'locked' ? 'open' : 'closed',
    merged: state === 'merged',
    draft: draft === true || isInProgress === true,
    head: { ref: answer['source_branch'] },
    base: { ref: answer['target_branch'] },
  })
}

/** Whether its branch is in the project itself. */
export function isOwn({ source_project_id: source, target_project_id: target }: Fields): boolean {
  return typeof source === 'number' && source === target
}
