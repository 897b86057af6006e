import type { Octokit } from '@octokit/core'
import type { Conversation, HostThread, ThreadPlace } from '@skein/core'
import { CodeHostError } from '../code-host.ts'
import { readEndOfList, readList, type Listed } from './github-list.ts'
import {
  bodyOf,
  byThread,
  CLOCK_SKEW_MS,
  fieldsOf,
  idOf,
  isInsider,
  isProgram,
  lineOf,
  loginOf,
  textOf,
  timeOf,
} from './to-conversation.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>

const NO_PLACE: ThreadPlace = { path: '', line: 0, isOldSide: false, replyTo: '', resolveId: '' }

/** What only GraphQL knows: which threads are resolved, and which comments are minimised. */
const THREADS = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    reviewThreads(last: 100) { nodes { id isResolved comments(first: 50) { nodes { databaseId isMinimized } } } }
    comments(last: 100) { nodes { databaseId isMinimized } }
    reviews(last: 100) { nodes { databaseId isMinimized } }
  } }
}`
const RESOLVE = `mutation ($threadId: ID!) { resolveReviewThread(input: { threadId: $threadId }) { thread { id } } }`

interface Graph {
  readonly resolveIds: ReadonlyMap<string, string>
  readonly resolved: ReadonlySet<string>
  readonly minimised: ReadonlySet<string>
}

/** Reviews of one pull request on GitHub. */
export class GitHubReviews {
  readonly #github: Octokit
  readonly #ask: Ask
  readonly #place: { readonly owner: string; readonly repo: string; readonly number: number }

  constructor(
    github: Octokit,
    ask: Ask,
    place: { readonly owner: string; readonly repo: string; readonly number: number },
  ) {
    this.#github = github
    this.#ask = ask
    this.#place = place
  }

  async read(since: number, now: number): Promise<Omit<Conversation, 'checks'>> {
    const { owner, repo, number } = this.#place
    const pull = fieldsOf(
      await this.#ask(() =>
        this.#github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
          owner,
          repo,
          pull_number: number,
        }),
      ),
    )
    const sinceTime = new Date(Math.max(0, since)).toISOString()
    const lines = await this.#list('GET /repos/{owner}/{repo}/pulls/{number}/comments', {
      sort: 'updated',
      direction: 'asc',
      since: sinceTime,
    })
    const comments = await this.#list('GET /repos/{owner}/{repo}/issues/{number}/comments', {
      since: sinceTime,
    })
    // The oldest come first, and there is no time to begin at.
    const reviews = await readEndOfList(
      this.#github,
      this.#ask,
      'GET /repos/{owner}/{repo}/pulls/{number}/reviews',
      { owner, repo, number },
    )
    const graph = await this.#readGraph()
    const ends = [
      now - CLOCK_SKEW_MS,
      ...(lines.isAll ? [] : [timeOf(lines.entries.at(-1)?.['updated_at'])]),
      ...(comments.isAll ? [] : [timeOf(comments.entries.at(-1)?.['created_at'])]),
    ]
    return {
      commit: textOf(fieldsOf(pull['head'])['sha'], 64),
      isConflicting: pull['mergeable'] === false,
      threads: [
        ...lineThreads(lines, graph),
        ...singles(comments, 'i', graph),
        ...singles(recent(reviews, since), 'r', graph),
      ],
      unconvinced: unconvincedBy(reviews),
      readUntil: Math.max(since, Math.min(...ends)),
    }
  }

  /** A reply, or a comment that mentions whom it answers. */
  async answer({ replyTo }: ThreadPlace, body: string): Promise<void> {
    const { owner, repo, number } = this.#place
    if (replyTo === '') {
      const place = { owner, repo, issue_number: number, body }
      await this.#ask(() =>
        this.#github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', place),
      )
      return
    }
    const place = { owner, repo, pull_number: number, comment_id: Number(replyTo), body }
    await this.#ask(() =>
      this.#github.request(
        'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies',
        place,
      ),
    )
  }

  async resolve({ resolveId }: ThreadPlace): Promise<void> {
    if (resolveId === '') return
    await this.#ask(async () => ({ data: await this.#github.graphql(RESOLVE, { threadId: resolveId }) }))
  }

  async request(logins: readonly string[]): Promise<void> {
    const { owner, repo, number } = this.#place
    const place = { owner, repo, pull_number: number, reviewers: [...logins] }
    await this.#ask(() =>
      this.#github.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', place),
    )
  }

  async #list(route: string, query: Readonly<Record<string, string>>): Promise<Listed> {
    const { owner, repo, number } = this.#place
    return readList(this.#github, this.#ask, route, { owner, repo, number, ...query })
  }

  /** An Enterprise server may not have it. Then nothing is known to be resolved or minimised. */
  async #readGraph(): Promise<Graph> {
    const resolveIds = new Map<string, string>()
    const resolved = new Set<string>()
    const minimised = new Set<string>()
    for (const { id, isResolved, comments } of nodesOf((await this.#askGraph())['reviewThreads'])) {
      const [root] = nodesOf(comments)
      const key = idOf(root?.['databaseId'])
      resolveIds.set(key, textOf(id, 200))
      if (isResolved === true) resolved.add(key)
      noteMinimised(minimised, 'c', comments)
    }
    noteMinimised(minimised, 'i', this.#graph['comments'])
    noteMinimised(minimised, 'r', this.#graph['reviews'])
    return { resolveIds, resolved, minimised }
  }

  #graph: Readonly<Record<string, unknown>> = {}

  async #askGraph(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const data: unknown = await this.#ask(async () => ({
        data: await this.#github.graphql<unknown>(THREADS, { ...this.#place }),
      }))
      this.#graph = fieldsOf(fieldsOf(fieldsOf(data)['repository'])['pullRequest'])
    } catch (error) {
      if (!(error instanceof CodeHostError && error.isFinal)) throw error
    }
    return this.#graph
  }
}

function nodesOf(connection: unknown): Readonly<Record<string, unknown>>[] {
  const { nodes } = fieldsOf(connection)
  return Array.isArray(nodes) ? nodes.map(fieldsOf) : []
}

function noteMinimised(minimised: Set<string>, kind: string, connection: unknown): void {
  for (const { databaseId, isMinimized } of nodesOf(connection)) {
    if (isMinimized === true) minimised.add(`${kind}${idOf(databaseId)}`)
  }
}

function lineThreads({ entries }: Listed, { resolveIds, resolved, minimised }: Graph): HostThread[] {
  const found = entries.map((entry) => {
    const root = idOf(entry['in_reply_to_id']) || idOf(entry['id'])
    return {
      key: `c${root}`,
      place: {
        path: textOf(entry['path'], 1024),
        line: lineOf(entry['line']) || lineOf(entry['original_line']),
        isOldSide: entry['side'] === 'LEFT',
        replyTo: root,
        resolveId: resolveIds.get(root) ?? '',
      },
      comment: toComment(entry, 'c', minimised),
    }
  })
  return byThread(found).map((thread) => ({ ...thread, isResolved: resolved.has(thread.place.replyTo) }))
}

/** Comments and reviews that are about no line. Each is a thread of its own. */
function singles({ entries }: Listed, kind: 'i' | 'r', { minimised }: Graph): HostThread[] {
  return entries.map((entry) => ({
    key: `${kind}${idOf(entry['id'])}`,
    place: NO_PLACE,
    isResolved: false,
    comments: [toComment(entry, kind, minimised)],
  }))
}

/** The host lists all of them. */
function recent({ entries, ...rest }: Listed, since: number): Listed {
  const isRecent = (entry: Readonly<Record<string, unknown>>) => timeOf(entry['submitted_at']) >= since
  return { ...rest, entries: entries.filter(isRecent) }
}

function toComment(entry: Readonly<Record<string, unknown>>, kind: string, minimised: ReadonlySet<string>) {
  const id = `${kind}${idOf(entry['id'])}`
  return {
    id,
    author: loginOf(entry['user']),
    isBot: isProgram(entry['user']),
    isHidden: minimised.has(id) || entry['state'] === 'PENDING',
    mayHaveAccess: isInsider(entry['author_association']),
    body: bodyOf(entry['body']),
  }
}

/** Whose newest review that says yes or no says no. */
function unconvincedBy({ entries }: Listed): string[] {
  const verdicts = new Map<string, boolean>()
  for (const { user, state } of entries) {
    if (state === 'CHANGES_REQUESTED') verdicts.set(loginOf(user), true)
    if (state === 'APPROVED' || state === 'DISMISSED') verdicts.set(loginOf(user), false)
  }
  return [...verdicts].filter(([login, isNo]) => isNo && login !== '').map(([login]) => login)
}
