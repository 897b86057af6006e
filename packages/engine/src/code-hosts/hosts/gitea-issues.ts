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
import { CodeHostError, type HostIssues } from '../code-host.ts'
import { bodyOf, CLOCK_SKEW_MS, fieldsOf, idOf, loginOf, textOf, timeOf } from './to-conversation.ts'
import { numbersOf, toIssue } from './to-issue.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>
type Fields = Readonly<Record<string, unknown>>

const PER_PAGE = 50
/** A window with more issues than are read at once is halved so often. */
const MAX_HALVES = 4
/** Gitea knows no programs, and says nothing about access with a text: it is asked for each author. */
const SOMEBODY = { isBot: false, mayHaveAccess: true }

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

  constructor(api: Api<unknown>, ask: Ask, place: Place) {
    this.#api = api
    this.#ask = ask
    this.#place = place
  }

  async read(number: number): Promise<HostIssue | undefined> {
    const { owner, name } = this.#place
    const answer = await this.#unlessMissing(() => this.#api.repos.issueGetIssue(owner, name, number))
    const issue = toIssue(answer, SOMEBODY)
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
    const comments = found.entries.map((entry) => ({
      id: `i${idOf(entry['id'])}`,
      author: loginOf(entry['user']),
      ...SOMEBODY,
      isHidden: false,
      body: bodyOf(entry['body']),
      createdAt: timeOf(entry['created_at']),
    }))
    return { comments, readUntil: Math.max(since, found.readUntil || readAt - CLOCK_SKEW_MS) }
  }

  async hidden(): Promise<ReadonlySet<string>> {
    return new Set()
  }

  async events(number: number): Promise<IssueEvent[]> {
    const { owner, name } = this.#place
    const found: IssueEvent[] = []
    for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
      const list = listOf(
        await this.#ask(() =>
          this.#api.repos.issueGetCommentsAndTimeline(owner, name, number, { page, limit: PER_PAGE }),
        ),
      )
      found.push(...list.flatMap(toEvent))
      if (list.length < PER_PAGE) break
    }
    return found
  }

  /** Gitea sorts by when they were opened: if there are too many, only those that changed first are wanted. */
  async changed(since: number): Promise<ChangedIssues> {
    let until = this.#place.now()
    let numbers: number[] = []
    for (let halves = 0; halves <= MAX_HALVES; halves += 1) {
      const { entries, isAll } = await this.#list(since, until)
      numbers = numbersOf(entries)
      if (isAll) break
      until = since + (until - since) / 2
    }
    return { numbers, readUntil: Math.max(since, until - CLOCK_SKEW_MS) }
  }

  async comment(number: number, body: string): Promise<void> {
    const { owner, name } = this.#place
    await this.#ask(() => this.#api.repos.issueCreateComment(owner, name, number, { body }))
  }

  async self(): Promise<string> {
    return loginOf(await this.#ask(() => this.#api.user.userGetCurrent()))
  }

  async #list(since: number, until: number): Promise<{ entries: Fields[]; isAll: boolean }> {
    const { owner, name } = this.#place
    const entries: Fields[] = []
    for (let page = 1; page <= REVIEW_LIMITS.pages; page += 1) {
      const query = {
        state: 'all',
        since: toTime(since),
        before: toTime(until),
        page,
        limit: PER_PAGE,
      } as const
      const list = listOf(await this.#ask(() => this.#api.repos.issueListIssues(owner, name, query)))
      entries.push(...list)
      if (list.length < PER_PAGE) return { entries, isAll: true }
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
