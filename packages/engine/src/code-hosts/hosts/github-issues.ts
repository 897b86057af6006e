import type { Octokit } from '@octokit/core'
import {
  isSameText,
  type ChangedIssues,
  type HostIssue,
  type IssueComments,
  type IssueEvent,
} from '@skein/core'
import { CodeHostError, type HostIssues } from '../code-host.ts'
import { readList, type Listed } from './github-list.ts'
import {
  bodyOf,
  CLOCK_SKEW_MS,
  fieldsOf,
  idOf,
  isInsider,
  isProgram,
  loginOf,
  textOf,
  timeOf,
} from './to-conversation.ts'
import { numbersOf, toIssue } from './to-issue.ts'

type Ask = <Data>(call: () => Promise<{ data: Data }>) => Promise<Data>
type Fields = Readonly<Record<string, unknown>>

const COMMENTS = `comments(last: 100) { nodes { databaseId isMinimized } }`
const MINIMISED = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { issueOrPullRequest(number: $number) {
    ... on Issue { ${COMMENTS} } ... on PullRequest { ${COMMENTS} }
  } }
}`

interface Place {
  readonly owner: string
  readonly repo: string
  readonly now: () => number
}

/** Issues of one repository on GitHub. */
export class GitHubIssues implements HostIssues {
  readonly #github: Octokit
  readonly #ask: Ask
  readonly #place: Place

  constructor(github: Octokit, ask: Ask, place: Place) {
    this.#github = github
    this.#ask = ask
    this.#place = place
  }

  async read(number: number): Promise<HostIssue | undefined> {
    const answer = await this.#readOne('GET /repos/{owner}/{repo}/issues/{number}', number)
    const { user, author_association: association } = fieldsOf(answer)
    const issue = toIssue(answer, { isBot: isProgram(user), mayHaveAccess: isInsider(association) })
    // One that was moved is answered with where it is now.
    if (issue?.number !== number) return undefined
    if (fieldsOf(answer)['pull_request'] === undefined) return issue
    const { head, base } = fieldsOf(await this.#readOne('GET /repos/{owner}/{repo}/pulls/{number}', number))
    return {
      ...issue,
      pull: { isFromFork: !this.#isOwn(head), head: refOf(head), base: refOf(base) },
    }
  }

  async comments(number: number, since: number): Promise<IssueComments> {
    const route = 'GET /repos/{owner}/{repo}/issues/{number}/comments'
    const { entries, isAll } = await this.#list(route, {
      number,
      since: new Date(Math.max(0, since)).toISOString(),
    })
    const end = isAll ? this.#place.now() - CLOCK_SKEW_MS : timeOf(entries.at(-1)?.['created_at'])
    return { comments: entries.map(toComment), readUntil: Math.max(since, end), isAll }
  }

  /** An Enterprise server may not know. Then nothing is known to be minimised. */
  async hidden(number: number): Promise<ReadonlySet<string>> {
    const { owner, repo } = this.#place
    try {
      const data: unknown = await this.#ask(async () => ({
        data: await this.#github.graphql<unknown>(MINIMISED, { owner, repo, number }),
      }))
      const issue = fieldsOf(fieldsOf(fieldsOf(data)['repository'])['issueOrPullRequest'])
      const { nodes } = fieldsOf(issue['comments'])
      const comments = Array.isArray(nodes) ? nodes.map(fieldsOf) : []
      return new Set(
        comments.filter((each) => each['isMinimized'] === true).map((each) => `i${idOf(each['databaseId'])}`),
      )
    } catch (error) {
      if (error instanceof CodeHostError && error.isFinal) return new Set()
      throw error
    }
  }

  async events(number: number): Promise<IssueEvent[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{number}/events'
    const { entries } = await this.#list(route, { number })
    return entries.flatMap(({ id, event, actor, assigner, label, assignee, created_at: at }) => {
      if (event !== 'labeled' && event !== 'assigned') return []
      const by = event === 'assigned' && loginOf(assigner) !== '' ? assigner : actor
      const name = event === 'labeled' ? textOf(fieldsOf(label)['name'], 100) : loginOf(assignee)
      return [
        { id: `e${idOf(id)}`, type: event, name, actor: loginOf(by), isBot: isProgram(by), at: timeOf(at) },
      ]
    })
  }

  async changed(since: number): Promise<ChangedIssues> {
    const now = this.#place.now()
    const { entries, pageSize } = await this.#list('GET /repos/{owner}/{repo}/issues', {
      since: new Date(Math.max(0, since)).toISOString(),
      state: 'all',
      sort: 'updated',
      direction: 'asc',
    })
    // What changes while pages are read moves to the end, and what follows moves to an earlier page: only one is certain.
    const isAll = entries.length < pageSize
    const end = isAll ? now - CLOCK_SKEW_MS : timeOf(entries[pageSize - 1]?.['updated_at'])
    return { numbers: numbersOf(entries), readUntil: Math.max(since, end), isAll }
  }

  async comment(number: number, body: string): Promise<void> {
    const { owner, repo } = this.#place
    const place = { owner, repo, issue_number: number, body }
    await this.#ask(() =>
      this.#github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', place),
    )
  }

  async self(): Promise<string> {
    return ''
  }

  async #readOne(route: string, number: number): Promise<unknown> {
    const { owner, repo } = this.#place
    try {
      // What was moved is answered with a redirect to where it is now, which is none of ours.
      const place = { owner, repo, number, request: { redirect: 'manual' as const } }
      return await this.#ask(() => this.#github.request(route, place))
    } catch (error) {
      if (error instanceof CodeHostError && error.isMissing) return undefined
      throw error
    }
  }

  async #list(route: string, query: Readonly<Record<string, string | number>>): Promise<Listed> {
    const { owner, repo } = this.#place
    return readList(this.#github, this.#ask, route, { owner, repo, ...query })
  }

  /** The repository of a deleted fork is null. */
  #isOwn(head: unknown): boolean {
    const { owner, repo } = this.#place
    return isSameText(textOf(fieldsOf(fieldsOf(head)['repo'])['full_name'], 255), `${owner}/${repo}`)
  }
}

function refOf(branch: unknown): string {
  return textOf(fieldsOf(branch)['ref'], 255)
}

function toComment(entry: Fields) {
  return {
    id: `i${idOf(entry['id'])}`,
    author: loginOf(entry['user']),
    isBot: isProgram(entry['user']),
    isHidden: false,
    mayHaveAccess: isInsider(entry['author_association']),
    body: bodyOf(entry['body']),
    createdAt: timeOf(entry['created_at']),
  }
}
