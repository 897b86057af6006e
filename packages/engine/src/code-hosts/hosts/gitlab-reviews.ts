import type { Conversation, HostThread, ThreadPlace } from '@skein/core'
import { withoutQuickActions } from '@skein/core'
import { CodeHostError } from '../code-host.ts'
import type { Fields, GitLabApi } from './gitlab-api.ts'
import { readChecks } from './gitlab-checks.ts'
import { toComment, usernameOf } from './gitlab-fields.ts'
import type { GitLabPeople } from './gitlab-people.ts'
import { CLOCK_SKEW_MS, fieldsOf, lineOf, textOf, timeOf } from './to-conversation.ts'

const DISCUSSION = /^[0-9a-f]{8,64}$/

/** One merge request on GitLab. Its threads are called discussions there, and each comment is in one. */
export class GitLabReviews {
  readonly #api: GitLabApi
  readonly #people: GitLabPeople
  readonly #project: string
  readonly #path: string

  constructor(api: GitLabApi, people: GitLabPeople, project: string, number: number) {
    this.#api = api
    this.#people = people
    this.#project = project
    this.#path = `${project}/merge_requests/${number}`
  }

  async read(since: number): Promise<Conversation> {
    const readAt = this.#api.now
    const pull = await this.#api.get(this.#path)
    const commit = textOf(pull['sha'], 64)
    const discussions = await this.#readDiscussions(since)
    return {
      commit,
      isConflicting: pull['has_conflicts'] === true && pull['state'] === 'opened',
      threads: discussions.flatMap((each) => toThread(each, since) ?? []),
      checks: await readChecks(this.#api, this.#project, commit, pull),
      unconvinced: await this.#readUnconvinced(),
      readUntil: Math.max(since, readAt - CLOCK_SKEW_MS),
    }
  }

  async answer({ replyTo }: ThreadPlace, body: string): Promise<void> {
    const path = `${this.#path}/discussions/${replyTo}/notes`
    await this.#api.send('POST', path, { body: withoutQuickActions(body) })
  }

  async resolve({ resolveId }: ThreadPlace): Promise<void> {
    if (resolveId === '') return
    await this.#api.send('PUT', `${this.#path}/discussions/${resolveId}`, { resolved: true })
  }

  /** GitLab sorts them by when they began, and has no time to begin at: those at the end are read. */
  async #readDiscussions(since: number): Promise<readonly Fields[]> {
    const found = await this.#api.newest(
      `${this.#path}/discussions`,
      {},
      { isSorted: false, isOld: () => false },
    )
    const changed = found.filter((each) => notesOf(each).some((note) => changedAt(note) >= since))
    for (const note of changed.flatMap(notesOf)) this.#people.note(note['author'])
    return changed
  }

  /** An older GitLab does not say what reviewers think. */
  async #readUnconvinced(): Promise<string[]> {
    try {
      const reviewers = await this.#api.list(`${this.#path}/reviewers`)
      const unconvinced = reviewers.filter(({ state }) => state === 'requested_changes')
      for (const { user } of unconvinced) this.#people.note(user)
      return unconvinced.map(({ user }) => usernameOf(user)).filter((login) => login !== '')
    } catch (error) {
      if (error instanceof CodeHostError && error.isFinal) return []
      throw error
    }
  }
}

/** Without what GitLab itself writes. */
function notesOf({ notes }: Fields): Fields[] {
  return (Array.isArray(notes) ? notes : []).map(fieldsOf).filter(({ system }) => system === false)
}

function changedAt({ updated_at: updated, created_at: created }: Fields): number {
  return timeOf(updated) || timeOf(created)
}

function toThread(discussion: Fields, since: number): HostThread | undefined {
  const id = textOf(discussion['id'], 64)
  if (!DISCUSSION.test(id)) return undefined
  const notes = notesOf(discussion)
  const resolvable = notes.filter((note) => note['resolvable'] === true)
  return {
    key: `d${id}`,
    place: {
      ...toPlace(fieldsOf(notes[0]?.['position'])),
      replyTo: id,
      resolveId: resolvable.length > 0 ? id : '',
    },
    isResolved: resolvable.length > 0 && resolvable.every((note) => note['resolved'] === true),
    comments: notes.filter((note) => changedAt(note) >= since).map(toComment),
  }
}

function toPlace(position: Fields): Pick<ThreadPlace, 'path' | 'line' | 'isOldSide'> {
  const line = lineOf(position['new_line'])
  const isOldSide = line === 0 && lineOf(position['old_line']) > 0
  const path = isOldSide ? position['old_path'] : position['new_path']
  return { path: textOf(path, 1024), line: line || lineOf(position['old_line']), isOldSide }
}
