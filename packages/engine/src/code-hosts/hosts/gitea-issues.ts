import {
  isSameText,
  REVIEW_LIMITS,
  type ChangedIssues,
  type HostIssue,
  type IssueComments,
  type IssueEvent,
} from '@skein/core'
import type { Api } from 'gitea-js'
import { readComments } from './gitea-comments.ts'
import { CodeHostError, isTooLarge, type HostIssues } from '../code-host.ts'
import { bodyOf, CLOCK_SKEW_MS, fieldsOf, idOf, loginOf, textOf, timeOf } from './to-conversation.ts'
import { numbersOf, toIssue } from './to-issue.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>
type Fields = Readonly<Record<string, unknown>>

const PER_PAGE = 50
/** A window with more issues than are read at once is halved so often. */
const MAX_HALVES = 4
/** Issues on a page, and how many pages: fewer and fewer if an answer would be too large. */
const PAGES = [
  { limit: 50, pages: 10 },
  { limit: 5, pages: 40 },
  { limit: 1, pages: 100 },
] as const
const MAX_CHARACTERS = 3 * 1024 * 1024

interface Place {
  readonly owner: string
  readonly name: string
  readonly now: () => number
}

/** Issues of one repository on Gitea. */
export class GiteaIssues implements HostIssues {
  readonly #api: Api<unknown>
  readonly #ask: Ask
  readonly #place: Place
  /** When the repository was. */
  #createdAt: number | undefined

  constructor(api: Api<unknown>, ask: Ask, place: Place) {
    this.#api = api
    this.#ask = ask
    this.#place = place
  }

  async read(number: number): Promise<HostIssue | undefined> {
    const { owner, name } = this.#place
    const answer = await this.#unlessMissing(() => this.#api.repos.issueGetIssue(owner, name, number))
    const issue = toIssue(answer, await this.#whoWrote(fieldsOf(answer)))
    if (issue?.number !== number) return undefined
    const { pull_request: pull } = fieldsOf(answer)
    if (pull === undefined || pull === null) return issue
    const { head, base } = fieldsOf(
      await this.#unlessMissing(() => this.#api.repos.repoGetPullRequest(owner, name, number)),
    )
    const isFromFork = !isSameText(
      textOf(fieldsOf(fieldsOf(head)['repo'])['full_name'], 255),
      `${owner}/${name}`,
    )
    return { ...issue, pull: { isFromFork, head: refOf(head), base: refOf(base) } }
  }

  async comments(number: number, since: number): Promise<IssueComments> {
    const { owner, name, now } = this.#place
    const readAt = now()
    const found = await readComments(this.#api, this.#ask, { owner, name, number }, since)
    const comments = []
    for (const entry of found.entries) {
      comments.push({
        id: `i${idOf(entry['id'])}`,
        author: loginOf(entry['user']),
        ...(await this.#whoWrote(entry)),
        isHidden: false,
        body: bodyOf(entry['body']),
        createdAt: timeOf(entry['created_at']),
      })
    }
    const end = found.readUntil || readAt - CLOCK_SKEW_MS
    return { comments, readUntil: Math.max(since, end), isAll: found.readUntil === 0 }
  }

  /**
   * Gitea knows no programs, and says nothing about access with a text: it is asked for each author. But what was imported
   * with the repository is shown as written by who imported it.
   */
  async #whoWrote({ original_author: original, created_at: at }: Fields) {
    this.#createdAt ??= await this.#readCreation()
    const isImported = (typeof original === 'string' && original !== '') || timeOf(at) < this.#createdAt
    return { isBot: false, mayHaveAccess: !isImported }
  }

  async #readCreation(): Promise<number> {
    const { owner, name } = this.#place
    return timeOf(fieldsOf(await this.#ask(() => this.#api.repos.repoGet(owner, name)))['created_at'])
  }

  async hidden(): Promise<ReadonlySet<string>> {
    return new Set()
  }

  /** Gitea leaves entries out after it has counted a page: only an empty one is the last. */
  async events(number: number, since: number): Promise<IssueEvent[]> {
    const { owner, name } = this.#place
    const found: IssueEvent[] = []
    for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
      const list = listOf(
        await this.#ask(() =>
          this.#api.repos.issueGetCommentsAndTimeline(owner, name, number, {
            since: toTime(since),
            page,
            limit: PER_PAGE,
          }),
        ),
      )
      if (list.length === 0) break
      found.push(...list.flatMap(toEvent))
    }
    return found
  }

  /** Gitea sorts by when they were opened: if there are too many, only those that changed first are wanted. */
  async changed(since: number): Promise<ChangedIssues> {
    let until = this.#place.now()
    let found = await this.#list(since, until)
    for (let halves = 0; !found.isAll && halves < MAX_HALVES; halves += 1) {
      until = since + (until - since) / 2
      found = await this.#list(since, until)
    }
    const readUntil = Math.max(since, Math.min(until, this.#place.now() - CLOCK_SKEW_MS))
    return { numbers: numbersOf(found.entries), readUntil, isAll: found.isAll && until > readUntil }
  }

  async comment(number: number, body: string): Promise<void> {
    const { owner, name } = this.#place
    await this.#ask(() => this.#api.repos.issueCreateComment(owner, name, number, { body }))
  }

  async self(): Promise<string> {
    return loginOf(await this.#ask(() => this.#api.user.userGetCurrent()))
  }

  async #list(since: number, until: number): Promise<{ entries: Fields[]; isAll: boolean }> {
    for (const { limit, pages } of PAGES) {
      const found = await this.#listPages(since, until, limit, pages)
      if (found) return found
    }
    return { entries: [], isAll: false }
  }

  /** Undefined if a page is too large. One issue that is too large alone is left out. */
  async #listPages(
    since: number,
    until: number,
    limit: number,
    pages: number,
  ): Promise<{ entries: Fields[]; isAll: boolean } | undefined> {
    const { owner, name } = this.#place
    const entries: Fields[] = []
    let characters = 0
    for (let page = 1; page <= pages && characters < MAX_CHARACTERS; page += 1) {
      const query = { state: 'all', since: toTime(since), before: toTime(until), page, limit } as const
      try {
        const list = listOf(await this.#ask(() => this.#api.repos.issueListIssues(owner, name, query)))
        if (list.length === 0) return { entries, isAll: true }
        entries.push(...list)
        characters += JSON.stringify(list).length
      } catch (error) {
        if (!isTooLarge(error)) throw error
        if (limit > 1) return undefined
      }
    }
    return { entries, isAll: false }
  }

  async #unlessMissing(call: () => Promise<{ data: unknown }>): Promise<unknown> {
    try {
      return await this.#ask(call)
    } catch (error) {
      if (error instanceof CodeHostError && error.isMissing) return undefined
      throw error
    }
  }
}

/** A label that was set has the text 1, one that was removed has none. */
function toEvent(entry: Fields): IssueEvent[] {
  const { id, type, user, body, label, assignee, removed_assignee: isRemoved, created_at: at } = entry
  const facts = { id: `e${idOf(id)}`, actor: loginOf(user), isBot: false, at: timeOf(at) }
  if (type === 'label' && body === '1') {
    return [{ ...facts, type: 'labeled', name: textOf(fieldsOf(label)['name'], 100) }]
  }
  if (type === 'assignees' && isRemoved !== true) {
    return [{ ...facts, type: 'assigned', name: loginOf(assignee) }]
  }
  return []
}

function toTime(time: number): string {
  return new Date(Math.max(0, time)).toISOString()
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.slice(0, REVIEW_LIMITS.pages * 100).map(fieldsOf) : []
}

function refOf(branch: unknown): string {
  return textOf(fieldsOf(branch)['ref'], 255)
}
