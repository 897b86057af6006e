import type {
  Conversation,
  HostPermission,
  PullRequest,
  Repository,
  ThreadPlace,
  WantedPullRequest,
} from '@skein/core'
import { isSameText } from '@skein/core'
import { Api } from 'gitea-js'
import {
  CodeHostError,
  type CodeHost,
  type HostFetch,
  type HostIssues,
  type MintedCredential,
} from '../code-host.ts'
import { toHostError, toUnreachable } from './host-failure.ts'
import { GiteaIssues } from './gitea-issues.ts'
import { GiteaReviews } from './gitea-reviews.ts'
import { toNames, toPermission } from './to-conversation.ts'
import { toPullRequest } from './to-pull-request.ts'

export interface GiteaOptions {
  readonly apiUrl: string
  readonly token: string
  /** What runs push and fetch with. */
  readonly gitToken: () => string
  readonly fetch: HostFetch
  readonly now: () => number
}

/** Gitea and Forgejo, as a user. They have no tokens for single repositories: what the user may do is the limit. */
export class Gitea implements CodeHost {
  readonly #options: GiteaOptions
  readonly #api: Api<unknown>

  constructor(options: GiteaOptions) {
    this.#options = options
    this.#api = new Api({
      baseUrl: options.apiUrl,
      baseApiParams: { format: 'json', headers: { Authorization: `token ${options.token}` } },
      customFetch: options.fetch,
    })
  }

  async mintCredential(): Promise<MintedCredential> {
    return { credential: `x-access-token:${this.#options.gitToken()}`, expiresAt: 0 }
  }

  /** Only the one for this base: the API does not search by branch. */
  async findPullRequests(
    { owner, name }: Repository,
    { head, base }: Pick<WantedPullRequest, 'head' | 'base'>,
  ): Promise<PullRequest[]> {
    try {
      // The client inserts them into the path as they are. The head may contain slashes there, the base may not.
      const path = [encodeURIComponent(base), head.split('/').map(encodeURIComponent).join('/')] as const
      const found = await this.#ask(() => this.#api.repos.repoGetPullRequestByBaseHead(owner, name, ...path))
      const isOwn = isSameText(String(found.head?.repo?.full_name), `${owner}/${name}`)
      return isOwn ? [toPullRequest(found)] : []
    } catch (error) {
      if (error instanceof CodeHostError && error.isMissing) return []
      throw error
    }
  }

  async readPullRequest({ owner, name }: Repository, number: number): Promise<PullRequest> {
    return toPullRequest(await this.#ask(() => this.#api.repos.repoGetPullRequest(owner, name, number)))
  }

  /** A draft is one whose title says so. */
  async openPullRequest({ owner, name }: Repository, wanted: WantedPullRequest): Promise<PullRequest> {
    const { draft, title, body, head, base } = wanted
    const option = { title: draft ? `WIP: ${title}` : title, body, head, base }
    return toPullRequest(await this.#ask(() => this.#api.repos.repoCreatePullRequest(owner, name, option)))
  }

  async updatePullRequest(
    { owner, name }: Repository,
    number: number,
    changes: Partial<Pick<WantedPullRequest, 'base' | 'title' | 'body'>>,
  ): Promise<PullRequest> {
    return toPullRequest(
      await this.#ask(() => this.#api.repos.repoEditPullRequest(owner, name, number, changes)),
    )
  }

  /** The new title has done it. */
  async markReady(): Promise<void> {}

  /** Gitea ignores names that the repository does not have. */
  async addLabels({ owner, name }: Repository, number: number, labels: readonly string[]): Promise<string[]> {
    const option = { labels: [...labels] }
    return toNames(await this.#ask(() => this.#api.repos.issueAddLabel(owner, name, number, option)))
  }

  readConversation(repository: Repository, number: number, since: number): Promise<Conversation> {
    return this.#reviews(repository, number).read(since, this.#options.now())
  }

  /** Needs a user that administrates the repository: Gitea tells nobody else. */
  async readPermission({ owner, name }: Repository, login: string): Promise<HostPermission> {
    try {
      const who = encodeURIComponent(login)
      const found = await this.#ask(() => this.#api.repos.repoGetRepoPermissions(owner, name, who))
      return toPermission(found.permission)
    } catch (error) {
      if (error instanceof CodeHostError && error.isMissing) return 'none'
      throw error
    }
  }

  postAnswer(repository: Repository, number: number, place: ThreadPlace, body: string): Promise<void> {
    return this.#reviews(repository, number).answer(place, body)
  }

  resolveThread(repository: Repository, number: number, place: ThreadPlace): Promise<void> {
    return this.#reviews(repository, number).resolve(place)
  }

  requestReview(repository: Repository, number: number, logins: readonly string[]): Promise<void> {
    return this.#reviews(repository, number).request(logins)
  }

  async issues({ owner, name }: Repository): Promise<HostIssues> {
    const { now } = this.#options
    return new GiteaIssues(this.#api, (call) => this.#ask(call), { owner, name, now })
  }

  #reviews({ owner, name }: Repository, number: number): GiteaReviews {
    return new GiteaReviews(this.#api, (call) => this.#ask(call), { owner, name, number })
  }

  async #ask<Data>(call: () => Promise<{ data: Data }>): Promise<Data> {
    try {
      return (await call()).data
    } catch (error) {
      if (!(error instanceof Response)) throw toUnreachable(error)
      const { status, headers } = error
      throw toHostError({
        status,
        said: saidBy(error),
        header: (header) => headers.get(header) ?? '',
        now: this.#options.now(),
      })
    }
  }
}

/** The client adds what the host answered to the response that it throws. */
function saidBy(response: Response): string {
  const answer: unknown = 'error' in response ? response.error : undefined
  const message: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'message') : ''
  return typeof message === 'string' ? message : ''
}
