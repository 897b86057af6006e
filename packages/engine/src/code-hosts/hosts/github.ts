import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import {
  isSameText,
  type Conversation,
  type HostPermission,
  type PullRequest,
  type Repository,
  type ThreadPlace,
  type WantedPullRequest,
} from '@skein/core'
import {
  CodeHostError,
  type CodeHost,
  type HostFetch,
  type HostIssues,
  type MintedCredential,
} from '../code-host.ts'
import { toHostError, toUnreachable } from './host-failure.ts'
import { GitHubChecks } from './github-checks.ts'
import { GitHubIssues } from './github-issues.ts'
import { GitHubReviews } from './github-reviews.ts'
import { toNames, toPermission } from './to-conversation.ts'
import { toPullRequest } from './to-pull-request.ts'

export interface GitHubOptions {
  readonly apiUrl: string
  readonly appId: string
  readonly privateKey: string
  /** To act as a person instead, within what the App may do. */
  readonly personToken?: string | undefined
  readonly fetch: HostFetch
  readonly now: () => number
}

/** What a token can do is limited to what it is for. */
type Permissions = Readonly<
  Partial<
    Record<'contents' | 'issues' | 'pull_requests', 'write'> &
      Record<'checks' | 'statuses' | 'actions', 'read'>
  >
>

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const READY = `mutation ($pullRequestId: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $pullRequestId }) { pullRequest { id } }
}`
const TOKEN = /^[!-~]{1,4096}$/

/** GitHub and GitHub Enterprise, as an App. */
export class GitHub implements CodeHost {
  readonly #options: GitHubOptions
  readonly #app: Octokit
  readonly #signedIn = new Map<string, Octokit>()

  constructor(options: GitHubOptions) {
    this.#options = options
    const { appId, privateKey } = options
    this.#app = new Octokit({
      ...this.#connection(),
      authStrategy: createAppAuth,
      auth: { appId, privateKey },
    })
  }

  async mintCredential(repositories: readonly Repository[]): Promise<MintedCredential> {
    const { token, expiresAt } = await this.#mintToken(repositories, { contents: 'write' })
    return { credential: `x-access-token:${token}`, expiresAt }
  }

  async findPullRequests(
    repository: Repository,
    { head }: Pick<WantedPullRequest, 'head'>,
  ): Promise<PullRequest[]> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    const found = await this.#ask(() =>
      github.request('GET /repos/{owner}/{repo}/pulls', {
        owner,
        repo,
        head: `${owner}:${head}`,
        state: 'open',
        per_page: 100,
      }),
    )
    const isOwn = (pull: Headed) => isSameText(pull.head?.repo?.full_name ?? '', `${owner}/${repo}`)
    return found.filter(isOwn).map(toPullRequest)
  }

  async readPullRequest(repository: Repository, number: number): Promise<PullRequest> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    const place = { owner, repo, pull_number: number }
    return toPullRequest(
      await this.#ask(() => github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', place)),
    )
  }

  async openPullRequest(repository: Repository, wanted: WantedPullRequest): Promise<PullRequest> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    return toPullRequest(
      await this.#ask(() => github.request('POST /repos/{owner}/{repo}/pulls', { owner, repo, ...wanted })),
    )
  }

  async updatePullRequest(
    repository: Repository,
    number: number,
    changes: Partial<Pick<WantedPullRequest, 'base' | 'title' | 'body'>>,
  ): Promise<PullRequest> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    const change = { owner, repo, pull_number: number, ...changes }
    return toPullRequest(
      await this.#ask(() => github.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', change)),
    )
  }

  /** Only GraphQL can, by an id that only REST knows from the number. */
  async markReady(repository: Repository, number: number): Promise<void> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    const place = { owner, repo, pull_number: number }
    const { node_id: pullRequestId } = await this.#ask(() =>
      github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', place),
    )
    await this.#ask(async () => ({ data: await github.graphql(READY, { pullRequestId }) }))
  }

  async addLabels(repository: Repository, number: number, labels: readonly string[]): Promise<string[]> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    const place = { owner, repo, issue_number: number, labels: [...labels] }
    return toNames(
      await this.#ask(() => github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', place)),
    )
  }

  async readConversation(repository: Repository, number: number, since: number): Promise<Conversation> {
    const read = await (await this.#reviews(repository, number)).read(since, this.#options.now())
    return { ...read, checks: await this.#readChecks(repository, read.commit) }
  }

  /** An App that may not read checks still works: then there are none. */
  async #readChecks(repository: Repository, commit: string): Promise<Conversation['checks']> {
    const permissions: readonly Permissions[] = [
      { checks: 'read', statuses: 'read', actions: 'read' },
      { checks: 'read', statuses: 'read' },
    ]
    for (const wanted of permissions) {
      try {
        const github = await this.#signIn(repository, wanted)
        return await new GitHubChecks(github, (call) => this.#ask(call), this.#options).read(
          repository,
          commit,
        )
      } catch (error) {
        if (!(error instanceof CodeHostError && error.isFinal)) throw error
      }
    }
    return []
  }

  async readPermission(repository: Repository, login: string): Promise<HostPermission> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    const place = { owner, repo, username: login }
    try {
      const path = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
      return toPermission((await this.#ask(() => github.request(path, place))).permission)
    } catch (error) {
      if (error instanceof CodeHostError && error.isFinal) return 'none'
      throw error
    }
  }

  async postAnswer(repository: Repository, number: number, place: ThreadPlace, body: string): Promise<void> {
    await (await this.#reviews(repository, number)).answer(place, body)
  }

  async resolveThread(repository: Repository, number: number, place: ThreadPlace): Promise<void> {
    await (await this.#reviews(repository, number)).resolve(place)
  }

  async requestReview(repository: Repository, number: number, logins: readonly string[]): Promise<void> {
    await (await this.#reviews(repository, number)).request(logins)
  }

  async issues(repository: Repository): Promise<HostIssues> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository, { issues: 'write', pull_requests: 'write' })
    const { now } = this.#options
    return new GitHubIssues(github, (call) => this.#ask(call), { owner, repo, now })
  }

  async #reviews(repository: Repository, number: number): Promise<GitHubReviews> {
    const { owner, name: repo } = repository
    const github = await this.#signIn(repository)
    return new GitHubReviews(github, (call) => this.#ask(call), { owner, repo, number })
  }

  /** As the App, for one repository, and kept for this object's short life. */
  async #signIn(
    repository: Repository,
    permissions: Permissions = { pull_requests: 'write' },
  ): Promise<Octokit> {
    const key = JSON.stringify([repository, permissions])
    const known = this.#signedIn.get(key)
    if (known) return known
    const token = this.#options.personToken ?? (await this.#mintToken([repository], permissions)).token
    const github = new Octokit({ ...this.#connection(), auth: token })
    this.#signedIn.set(key, github)
    return github
  }

  async #mintToken(repositories: readonly Repository[], permissions: Permissions) {
    const [first] = repositories
    if (!first) throw new TypeError('A token is for at least one repository')
    const { id } = await this.#ask(() =>
      this.#app.request('GET /repos/{owner}/{repo}/installation', { owner: first.owner, repo: first.name }),
    )
    const names = repositories.map(({ name }) => name)
    const minted = await this.#ask(() =>
      this.#app.request('POST /app/installations/{installation_id}/access_tokens', {
        installation_id: id,
        repositories: names,
        permissions,
      }),
    )
    // An old Enterprise server ignores what it does not know, and would give access to every repository.
    if (minted.repository_selection !== 'selected') {
      throw new CodeHostError('The code host does not limit tokens to repositories.', { isFinal: true })
    }
    if (!TOKEN.test(minted.token)) {
      throw new CodeHostError('The response of the code host is not a token.', {
        isFinal: false,
      })
    }
    return { token: minted.token, expiresAt: Date.parse(minted.expires_at) || 0 }
  }

  #connection() {
    const { apiUrl, fetch } = this.#options
    return { baseUrl: apiUrl, log: SILENT, request: { fetch } }
  }

  async #ask<Data>(call: () => Promise<{ data: Data }>): Promise<Data> {
    try {
      return (await call()).data
    } catch (error) {
      throw this.#explain(error)
    }
  }

  #explain(error: unknown): CodeHostError {
    if (isKeyProblem(error)) {
      const message = 'The secret of the code host is not a private key of an App, as PEM.'
      return new CodeHostError(message, { isFinal: true })
    }
    if (error instanceof CodeHostError) return error
    if (!isRefusal(error)) return toUnreachable(error)
    const { status, response } = error
    const said = response.data?.message
    return toHostError({
      status,
      said: typeof said === 'string' ? said : '',
      header: (name) => `${response.headers[name] ?? ''}`,
      now: this.#options.now(),
    })
  }
}

/** The repository of a deleted fork is null, whatever the types say. */
interface Headed {
  readonly head?: { readonly repo?: { readonly full_name?: string } | null }
}

interface Refusal extends Error {
  readonly status: number
  readonly response: {
    readonly headers: Readonly<Record<string, string | number | undefined>>
    readonly data?: { readonly message?: unknown }
  }
}

/** A failure before there was a response has a status too, but no response. */
function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'status' in error && 'response' in error && error.response !== undefined
}

/** What the library and Node say about a key that cannot be read. Their messages are not passed on. */
function isKeyProblem(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return code.startsWith('ERR_OSSL') || error.name === 'DataError' || /private ?key/i.test(error.message)
}
