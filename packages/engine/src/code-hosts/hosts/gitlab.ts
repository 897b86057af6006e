import type {
  Conversation,
  HostPermission,
  PullRequest,
  Repository,
  ThreadPlace,
  WantedPullRequest,
} from '@skein/core'
import { cutText } from '@skein/contract'
import { withoutQuickActions } from '@skein/core'
import { CodeHostError, type CodeHost, type HostIssues, type MintedCredential } from '../code-host.ts'
import { GitLabApi, refusal, type Fields, type GitLabConnection } from './gitlab-api.ts'
import { isOwn, projectPath, toPull, undraft, usernameOf } from './gitlab-fields.ts'
import { GitLabIssues } from './gitlab-issues.ts'
import { GitLabPeople } from './gitlab-people.ts'
import { GitLabReviews } from './gitlab-reviews.ts'
import { fieldsOf, idOf, textOf } from './to-conversation.ts'

const MAX_TITLE = 255

export interface GitLabOptions extends GitLabConnection {
  /** What runs push and fetch with. */
  readonly gitToken: () => string
}

/** GitLab, with a token of a project, a group or a user. A pull request is a merge request there. */
export class GitLab implements CodeHost {
  readonly #api: GitLabApi
  readonly #people: GitLabPeople
  readonly #gitToken: () => string

  constructor(options: GitLabOptions) {
    this.#api = new GitLabApi(options)
    this.#people = new GitLabPeople(this.#api)
    this.#gitToken = options.gitToken
  }

  /** Tokens of projects and groups cannot make others (docs/adr/0071). What this one is for is the limit. */
  async mintCredential(): Promise<MintedCredential> {
    return { credential: `x-access-token:${this.#gitToken()}`, expiresAt: 0 }
  }

  /** Anybody can have a branch of the same name in a fork. */
  async findPullRequests(
    repository: Repository,
    { head }: Pick<WantedPullRequest, 'head'>,
  ): Promise<PullRequest[]> {
    const found = await this.#api.newest(
      `${projectPath(repository)}/merge_requests`,
      { source_branch: head, state: 'opened', scope: 'all', order_by: 'created_at', sort: 'desc' },
      { isSorted: true, isOld: () => false },
    )
    return found.filter(isOwn).map(toPull)
  }

  async readPullRequest(repository: Repository, number: number): Promise<PullRequest> {
    return toPull(await this.#api.get(pathOf(repository, number)))
  }

  /** A draft is one whose title says so. */
  async openPullRequest(repository: Repository, wanted: WantedPullRequest): Promise<PullRequest> {
    const { draft, title, body, head, base } = wanted
    return toPull(
      await this.#api.send('POST', `${projectPath(repository)}/merge_requests`, {
        source_branch: head,
        target_branch: base,
        title: cutText(draft ? `Draft: ${undraft(title)}` : undraft(title), MAX_TITLE),
        description: withoutQuickActions(body),
      }),
    )
  }

  async updatePullRequest(
    repository: Repository,
    number: number,
    { base, title, body }: Partial<Pick<WantedPullRequest, 'base' | 'title' | 'body'>>,
  ): Promise<PullRequest> {
    return toPull(
      await this.#api.send('PUT', pathOf(repository, number), {
        ...(base !== undefined && { target_branch: base }),
        ...(title !== undefined && { title: cutText(undraft(title), MAX_TITLE) }),
        ...(body !== undefined && { description: withoutQuickActions(body) }),
      }),
    )
  }

  /** The new title has done it. */
  async markReady(): Promise<void> {}

  /** GitLab makes those that it does not know. A comma separates two, so that no label can have one. */
  async addLabels(repository: Repository, number: number, labels: readonly string[]): Promise<string[]> {
    const usable = labels.filter((label) => !label.includes(','))
    if (usable.length === 0) return []
    const { labels: has } = await this.#api.send('PUT', pathOf(repository, number), {
      add_labels: usable.join(','),
    })
    return Array.isArray(has) ? has.slice(0, 100).map((name) => textOf(name, 255)) : []
  }

  readConversation(repository: Repository, number: number, since: number): Promise<Conversation> {
    return this.#reviews(repository, number).read(since)
  }

  readPermission(repository: Repository, login: string): Promise<HostPermission> {
    return this.#people.readPermission(projectPath(repository), login)
  }

  postAnswer(repository: Repository, number: number, place: ThreadPlace, body: string): Promise<void> {
    return this.#reviews(repository, number).answer(place, body)
  }

  resolveThread(repository: Repository, number: number, place: ThreadPlace): Promise<void> {
    return this.#reviews(repository, number).resolve(place)
  }

  /** Setting reviewers replaces all of them, and does nothing for those who are reviewers already. */
  async requestReview(repository: Repository, number: number, logins: readonly string[]): Promise<void> {
    const ids = new Map<string, string>()
    for (const login of logins) ids.set(login, await this.#people.idOf(login))
    const pull = await this.#api.get(pathOf(repository, number))
    const reviewers = reviewersOf(pull)
    const isKnown = (id: string) => reviewers.some((reviewer) => idOf(reviewer['id']) === id)
    const wanted = [...ids.values()].filter((id) => id !== '')
    const added = wanted.filter((id) => !isKnown(id))
    if (added.length > 0) {
      const all = [...reviewers.map(({ id }) => Number(idOf(id))), ...added.map(Number)]
      const changed = await this.#api.send('PUT', pathOf(repository, number), { reviewer_ids: all })
      const accepted = new Set(reviewersOf(changed).map(({ id }) => idOf(id)))
      const refused = logins.filter(
        (login) => added.includes(ids.get(login) ?? '') && !accepted.has(ids.get(login) ?? ''),
      )
      if (refused.length > 0) throw notReviewers(refused)
    }
    const place = { projectPath: `${repository.owner}/${repository.name}`, iid: String(number) }
    for (const id of wanted.filter(isKnown)) {
      const problem = await this.#people.askAgain(place, id)
      if (problem !== undefined) throw refusal(problem)
    }
    const unknown = logins.filter((login) => ids.get(login) === '')
    if (unknown.length > 0) {
      const message = `GitLab has no user ${unknown.map((login) => usernameOf({ username: login })).join(', ')}.`
      throw new CodeHostError(message, { isFinal: true })
    }
  }

  async issues(repository: Repository): Promise<HostIssues> {
    return new GitLabIssues(this.#api, this.#people, projectPath(repository))
  }

  #reviews(repository: Repository, number: number): GitLabReviews {
    return new GitLabReviews(this.#api, this.#people, projectPath(repository), number)
  }
}

/** GitLab says nothing about it. */
function notReviewers(logins: readonly string[]): CodeHostError {
  const names = logins.map((login) => usernameOf({ username: login })).join(', ')
  const message = `GitLab did not make ${names} a reviewer. Without Premium, a merge request has only one, who must be able to read the project.`
  return new CodeHostError(message, { isFinal: true })
}

function pathOf(repository: Repository, number: number): string {
  return `${projectPath(repository)}/merge_requests/${number}`
}

function reviewersOf({ reviewers }: Fields): Fields[] {
  return (Array.isArray(reviewers) ? reviewers : []).map(fieldsOf)
}
