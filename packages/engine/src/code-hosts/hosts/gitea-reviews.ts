import {
  REVIEW_LIMITS,
  type Conversation,
  type HostCheck,
  type HostThread,
  type ThreadPlace,
} from '@skein/core'
import { ContentType, type Api } from 'gitea-js'
import { readComments } from './gitea-comments.ts'
import {
  bodyOf,
  byThread,
  CLOCK_SKEW_MS,
  fieldsOf,
  idOf,
  lineOf,
  loginOf,
  shortDigest,
  textOf,
  timeOf,
} from './to-conversation.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>
type Fields = Readonly<Record<string, unknown>>

const PER_PAGE = 50
const NO_PLACE: ThreadPlace = { path: '', line: 0, isOldSide: false, replyTo: '', resolveId: '' }
const FAILED: ReadonlySet<unknown> = new Set(['failure', 'error'])

/** Reviews of one pull request on Gitea. */
export class GiteaReviews {
  readonly #api: Api<unknown>
  readonly #ask: Ask
  readonly #place: { readonly owner: string; readonly name: string; readonly number: number }

  constructor(
    api: Api<unknown>,
    ask: Ask,
    place: { readonly owner: string; readonly name: string; readonly number: number },
  ) {
    this.#api = api
    this.#ask = ask
    this.#place = place
  }

  async read(since: number, now: number): Promise<Conversation> {
    const { owner, name, number } = this.#place
    const pull = fieldsOf(await this.#ask(() => this.#api.repos.repoGetPullRequest(owner, name, number)))
    const commit = textOf(fieldsOf(pull['head'])['sha'], 64)
    const comments = await readComments(this.#api, this.#ask, this.#place, since)
    const reviews = await this.#readReviews()
    const news = reviews.filter((review) => changedAt(review) >= since)
    const lines = await this.#readLines(news.slice(0, REVIEW_LIMITS.threadsPerRound))
    const isAll = news.length <= REVIEW_LIMITS.threadsPerRound
    const ends = [
      isAll ? now - CLOCK_SKEW_MS : changedAt(news[REVIEW_LIMITS.threadsPerRound - 1] ?? {}),
      ...(comments.readUntil > 0 ? [comments.readUntil] : []),
    ]
    return {
      commit,
      // A draft cannot be merged either, and says so in the same field.
      isConflicting: pull['mergeable'] === false && pull['draft'] !== true && pull['merged'] !== true,
      threads: [...lines, ...singles(comments.entries, 'i'), ...singles(news, 'r')],
      checks: await this.#readChecks(commit),
      unconvinced: unconvincedBy(reviews),
      readUntil: Math.max(since, Math.min(...ends)),
    }
  }

  /** Gitea has no replies: comments on the same line are one conversation. */
  async answer({ path, line, isOldSide }: ThreadPlace, body: string): Promise<void> {
    const { owner, name, number } = this.#place
    if (path === '') {
      await this.#ask(() => this.#api.repos.issueCreateComment(owner, name, number, { body }))
      return
    }
    const position = isOldSide ? { old_position: line } : { new_position: line }
    const review = { event: 'COMMENT', body: '', comments: [{ path, body, ...position }] }
    await this.#ask(() => this.#api.repos.repoCreatePullReview(owner, name, number, review))
  }

  /** The client does not know it yet. */
  async resolve({ resolveId }: ThreadPlace): Promise<void> {
    if (resolveId === '') return
    const { owner, name } = this.#place
    const path = `/repos/${owner}/${name}/pulls/comments/${resolveId}/resolve`
    await this.#ask(() => this.#api.request<unknown, unknown>({ path, method: 'POST' }))
  }

  async request(logins: readonly string[]): Promise<void> {
    const { owner, name, number } = this.#place
    const reviewers = [...logins]
    // The client does not say that it is JSON, and Gitea refuses anything else.
    const type = ContentType.Json
    await this.#ask(() =>
      this.#api.repos.repoCreatePullReviewRequests(owner, name, number, { reviewers }, { type }),
    )
  }

  /** Without requests for a review, and those that are not submitted. The oldest first. */
  async #readReviews(): Promise<Fields[]> {
    const { owner, name, number } = this.#place
    const found: Fields[] = []
    for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
      const list = listOf(
        await this.#ask(() =>
          this.#api.repos.repoListPullReviews(owner, name, number, { page, limit: PER_PAGE }),
        ),
      )
      // A page can be smaller than was asked for: only an empty one is the last.
      if (list.length === 0) break
      found.push(...list)
    }
    return found.filter(({ state }) => state !== 'REQUEST_REVIEW' && state !== 'PENDING')
  }

  async #readLines(reviews: readonly Fields[]): Promise<HostThread[]> {
    const { owner, name, number } = this.#place
    const entries: Fields[] = []
    for (const { id } of reviews.filter((review) => review['comments_count'] !== 0)) {
      const reviewId = Number(idOf(id))
      entries.push(
        ...listOf(
          await this.#ask(() => this.#api.repos.repoGetPullReviewComments(owner, name, number, reviewId)),
        ),
      )
    }
    const found = entries.map((entry) => {
      const line = lineOf(entry['position'])
      const place = {
        path: textOf(entry['path'], 1024),
        line: line || lineOf(entry['original_position']),
        isOldSide: line === 0,
        replyTo: '',
        resolveId: idOf(entry['id']),
      }
      const key = `l${shortDigest([place.path, place.line, place.isOldSide].join('\0'))}`
      return { key, place, comment: toComment(entry, 'l') }
    })
    const resolved = new Set(
      found.filter((_, index) => loginOf(entries[index]?.['resolver']) !== '').map(({ key }) => key),
    )
    return byThread(found).map((thread) => ({ ...thread, isResolved: resolved.has(thread.key) }))
  }

  async #readChecks(commit: string): Promise<HostCheck[]> {
    if (commit === '') return []
    const { owner, name } = this.#place
    const combined = fieldsOf(
      await this.#ask(() => this.#api.repos.repoGetCombinedStatusByRef(owner, name, commit)),
    )
    return listOf(combined['statuses']).map(({ context, status, description }) => ({
      name: textOf(context, 200),
      state: status === 'pending' ? 'pending' : FAILED.has(status) ? 'failing' : 'passing',
      log: textOf(description, REVIEW_LIMITS.logLength),
    }))
  }
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.slice(0, REVIEW_LIMITS.pages * 100).map(fieldsOf) : []
}

function changedAt(review: Fields): number {
  return timeOf(review['updated_at']) || timeOf(review['submitted_at'])
}

function singles(entries: readonly Fields[], kind: 'i' | 'r'): HostThread[] {
  return entries.map((entry) => ({
    key: `${kind}${idOf(entry['id'])}`,
    place: NO_PLACE,
    isResolved: false,
    comments: [toComment(entry, kind)],
  }))
}

/** Gitea says nothing about its author's access with a comment: it is asked for each author. */
function toComment(entry: Fields, kind: string) {
  return {
    id: `${kind}${idOf(entry['id'])}`,
    author: loginOf(entry['user']),
    isBot: false,
    isHidden: false,
    // What was imported with the repository is shown as written by who imported it.
    mayHaveAccess: textOf(entry['original_author'], 100) === '',
    body: bodyOf(entry['body']),
  }
}

function unconvincedBy(reviews: readonly Fields[]): string[] {
  const verdicts = new Map<string, boolean>()
  for (const { user, state, dismissed } of reviews) {
    if (state === 'REQUEST_CHANGES') verdicts.set(loginOf(user), dismissed !== true)
    if (state === 'APPROVED') verdicts.set(loginOf(user), false)
  }
  return [...verdicts].filter(([login, isNo]) => isNo && login !== '').map(([login]) => login)
}
