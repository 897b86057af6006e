import {
  withoutQuickActions,
  type ChangedIssues,
  type HostIssue,
  type IssueComments,
  type IssueEvent,
} from '@skein/core'
import type { HostIssues } from '../code-host.ts'
import type { Fields, GitLabApi } from './gitlab-api.ts'
import { isNamedProgram, mayHaveAccess, toComment, usernameOf } from './gitlab-fields.ts'
import type { GitLabPeople } from './gitlab-people.ts'
import { CLOCK_SKEW_MS, fieldsOf, idOf, textOf, timeOf } from './to-conversation.ts'
import { numbersOf, toIssue } from './to-issue.ts'

/** What GitLab writes if the text of an issue is changed. Of a change that also ticks off a task it mentions only the task. */
const EDITED = /^(?:changed the description|changed title from |marked the |moved from )/i
const MAX_EDITORS = 10
/** What GitLab writes about an assignment, which nobody else can. */
const ASSIGNED = /^assigned to (.*)$/s
const UNASSIGNED = /unassigned/
const NAME = /@([A-Za-z0-9_.-]{1,255})/g

/** Issues of one project on GitLab. Merge requests are no issues there, and have numbers of their own. */
export class GitLabIssues implements HostIssues {
  readonly #api: GitLabApi
  readonly #people: GitLabPeople
  readonly #project: string
  readonly #path: string

  constructor(api: GitLabApi, people: GitLabPeople, project: string) {
    this.#api = api
    this.#people = people
    this.#project = project
    this.#path = `${project}/issues`
  }

  /** A confidential one is as good as none: what an agent makes of it may be public. */
  async read(number: number): Promise<HostIssue | undefined> {
    const answer = await this.#api.find(`${this.#path}/${number}`)
    if (!answer || answer['iid'] !== number || answer['confidential'] !== false) return undefined
    const { author, labels, assignees } = answer
    this.#people.note(author)
    const isBot = isNamedProgram(author)
    const isTheirs = !isBot && mayHaveAccess(answer) && (await this.#isTextOf(number, author))
    return toIssue(
      {
        number,
        title: answer['title'],
        body: answer['description'],
        user: { login: usernameOf(author) },
        state: answer['state'] === 'opened' ? 'open' : 'closed',
        labels: (Array.isArray(labels) ? labels : []).map((name: unknown) => ({ name })),
        assignees: (Array.isArray(assignees) ? assignees : []).map((user) => ({ login: usernameOf(user) })),
        created_at: answer['created_at'],
      },
      { isBot, mayHaveAccess: isTheirs },
    )
  }

  /** The newest first, so that a flood hides nothing that comes after it. */
  async comments(number: number, since: number): Promise<IssueComments> {
    const readAt = this.#api.now
    const notes = await this.#notes(number, 'only_comments', since)
    for (const { author } of notes) this.#people.note(author)
    return {
      comments: notes
        .map((note) => ({ ...toComment(note), createdAt: timeOf(note['created_at']) }))
        .toReversed(),
      readUntil: Math.max(since, readAt - CLOCK_SKEW_MS),
      isAll: true,
    }
  }

  /** Comments say so themselves. */
  async hidden(): Promise<ReadonlySet<string>> {
    return new Set()
  }

  async events(number: number, since: number): Promise<IssueEvent[]> {
    const labels = await this.#api.newest(
      `${this.#path}/${number}/resource_label_events`,
      {},
      { isSorted: false, isOld: () => false },
    )
    const notes = await this.#notes(number, 'only_activity', since)
    const found = [...labels.flatMap(toLabelEvent), ...notes.flatMap(toAssignments)]
    for (const { user } of labels) this.#people.note(user)
    for (const { author } of notes) this.#people.note(author)
    return found.toSorted((left, right) => left.at - right.at)
  }

  async changed(since: number): Promise<ChangedIssues> {
    const readAt = this.#api.now
    const { entries, isLast: isAll } = await this.#api.first(this.#path, {
      updated_after: new Date(Math.max(0, since)).toISOString(),
      order_by: 'updated_at',
      sort: 'asc',
      scope: 'all',
      state: 'opened',
    })
    const issues = entries.map(({ iid, state }) => ({ number: iid, state: state === 'opened' ? 'open' : '' }))
    const end = isAll ? readAt - CLOCK_SKEW_MS : timeOf(entries.at(-1)?.['updated_at'])
    return { numbers: numbersOf(issues), readUntil: Math.max(since, end), isAll }
  }

  async comment(number: number, body: string): Promise<void> {
    await this.#api.send('POST', `${this.#path}/${number}/notes`, { body: withoutQuickActions(body) })
  }

  async self(): Promise<string> {
    return usernameOf(await this.#api.get('/user'))
  }

  /**
   * Whether nobody else has changed it, except people who may steer agents themselves: a Planner, a Reporter and an
   * assignee can edit an issue. Asked after the text was read, so that a change in between counts.
   */
  async #isTextOf(number: number, author: unknown): Promise<boolean> {
    const query = { order_by: 'created_at', sort: 'desc', activity_filter: 'only_activity' }
    const notes = await this.#api.all(`${this.#path}/${number}/notes`, query)
    if (!notes) return false
    const authorId = idOf(fieldsOf(author)['id'])
    const editors = new Map<string, unknown>()
    for (const { system, body, author: editor } of notes) {
      const id = idOf(fieldsOf(editor)['id'])
      if (system === true && id !== authorId && EDITED.test(textOf(body, 100))) editors.set(id, editor)
    }
    if (editors.size > MAX_EDITORS) return false
    for (const editor of editors.values()) {
      this.#people.note(editor)
      const permission = await this.#people.readPermission(this.#project, usernameOf(editor))
      if (permission !== 'write' && permission !== 'admin') return false
    }
    return true
  }

  async #notes(number: number, filter: string, since: number): Promise<Fields[]> {
    const found = await this.#api.newest(
      `${this.#path}/${number}/notes`,
      { order_by: 'updated_at', sort: 'desc', activity_filter: filter },
      { isSorted: true, isOld: (note) => timeOf(note['updated_at']) < since },
    )
    const isActivity = filter === 'only_activity'
    return found.filter(({ system, updated_at: at }) => system === isActivity && timeOf(at) >= since)
  }
}

function toLabelEvent({ id, action, user, label, imported, created_at: at }: Fields): IssueEvent[] {
  if (action !== 'add' || imported === true) return []
  const name = textOf(fieldsOf(label)['name'], 100)
  const facts = { actor: usernameOf(user), isBot: isNamedProgram(user), at: timeOf(at) }
  return [{ id: `e${idOf(id)}`, type: 'labeled', name, ...facts }]
}

function toAssignments({ id, body, author, imported, created_at: at }: Fields): IssueEvent[] {
  // Who imports a project can make it say anything.
  if (imported === true) return []
  const [, names = ''] = ASSIGNED.exec(textOf(body, 10_000)) ?? []
  const [assigned = ''] = names.split(UNASSIGNED)
  const facts = { actor: usernameOf(author), isBot: isNamedProgram(author), at: timeOf(at) }
  return [...assigned.matchAll(NAME)].map(([, name = '']) => ({
    id: `a${idOf(id)}`,
    type: 'assigned' as const,
    name,
    ...facts,
  }))
}
