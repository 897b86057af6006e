import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ROUTES, type Call, type Parameters } from './gitlab-routes.ts'
import {
  quickActionsOf,
  shaOf,
  type Discussion,
  type GitLabState,
  type Issue,
  type MergeRequest,
  type Note,
  type Project,
  type Token,
  type User,
} from './gitlab-state.ts'

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * GitLab as far as our client uses it, and as strict: parameters that its documentation does not name are noted as
 * problems, tokens reach their project and scopes only, commas separate labels, and quick actions in what is written are
 * carried out. A real one is too large for a test.
 */
export class GitLabFixture implements GitLabState {
  readonly #server: Server
  readonly #users = new Map<string, User>()
  readonly #projects = new Map<string, Project>()
  readonly #tokens = new Map<string, Token>()
  #ids = 100
  /** What GitLab would not understand. */
  readonly problems = new Set<string>()
  /** Quick actions that were in what our client sent. */
  readonly obeyed: string[] = []
  readonly requests: string[] = []
  /** What stands before it: an answer of its own, or undefined. */
  instead: (method: string, path: string) => Reply | undefined = () => undefined
  /** Whether the answer gets lost after it has done what was asked. */
  loses: (method: string, path: string) => boolean = () => false
  /** The newest commit of a branch; undefined if there is no such branch. */
  headOf: (project: string, branch: string) => Promise<string | undefined> = async (project, branch) =>
    shaOf(`${project} ${branch}`)

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.problems.add(String(error))
        response.destroy()
      })
    })
  }

  static async start(): Promise<GitLabFixture> {
    const fixture = new GitLabFixture()
    await new Promise<void>((resolve) => fixture.#server.listen(0, '127.0.0.1', resolve))
    return fixture
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    if (this.problems.size > 0) throw new Error(`GitLab does not know:\n${[...this.problems].join('\n')}`)
  }

  nextId(): number {
    this.#ids += 1
    return this.#ids
  }

  addUser(username: string, fields: Partial<User> = {}): User {
    const user = { id: this.nextId(), username, state: 'active', bot: false, ...fields }
    this.#users.set(username.toLowerCase(), user)
    return user
  }

  addProject(path: string, members: Readonly<Record<string, number>>): Project {
    const project: Project = {
      id: this.nextId(),
      path,
      members: new Map(Object.entries(members).map(([name, level]) => [this.user(name).id, level])),
      mergeRequests: [],
      issues: [],
      commits: new Map(),
    }
    this.#projects.set(path, project)
    return project
  }

  addToken(text: string, token: Token): void {
    this.#tokens.set(text, token)
  }

  user(username: string): User {
    return this.findUser(username) ?? this.addUser(username)
  }

  findUser(username: string): User | undefined {
    return this.#users.get(username.toLowerCase())
  }

  userOf(id: number): User | undefined {
    return [...this.#users.values()].find((user) => user.id === id)
  }

  project(path: string): Project {
    const found = this.#projects.get(path)
    if (!found) throw new Error(`No project ${path}`)
    return found
  }

  mergeRequest(path: string, iid: number): MergeRequest {
    const found = this.project(path).mergeRequests.find((each) => each.iid === iid)
    if (!found) throw new Error(`No merge request ${path}!${iid}`)
    return found
  }

  write(author: User, body: string, fields: Partial<Note> = {}): Note {
    const at = new Date().toISOString()
    return {
      id: this.nextId(),
      author,
      body,
      system: false,
      internal: false,
      createdAt: at,
      updatedAt: at,
      ...fields,
    }
  }

  /** A comment of its own; a thread if it is on a line. */
  comment(pull: MergeRequest, by: string, body: string, fields: Partial<Note> = {}): Discussion {
    const discussion = {
      id: shaOf(randomUUID()),
      isThread: fields.position !== undefined,
      isResolved: false,
      notes: [this.write(this.user(by), body, fields)],
    }
    pull.discussions.push(discussion)
    return discussion
  }

  lineComment(pull: MergeRequest, by: string, body: string, line: number): Discussion {
    const position = {
      position_type: 'text',
      new_path: 'work.txt',
      old_path: 'work.txt',
      new_line: line,
      old_line: null,
    }
    return this.comment(pull, by, body, { position })
  }

  addIssue(path: string, by: string, fields: Partial<Issue> = {}): Issue {
    const { issues } = this.project(path)
    const at = new Date().toISOString()
    const issue: Issue = {
      iid: issues.length + 1,
      title: 'Slow',
      description: '',
      state: 'opened',
      author: this.user(by),
      confidential: false,
      labels: new Set(),
      assignees: [],
      notes: [],
      labelEvents: [],
      createdAt: at,
      updatedAt: at,
      ...fields,
    }
    issues.push(issue)
    return issue
  }

  /** As a person does it, with the event that GitLab records. */
  setLabel(issue: Issue, by: string, name: string): void {
    issue.labels.add(name)
    issue.updatedAt = new Date().toISOString()
    const user = this.user(by)
    issue.labelEvents.push({
      id: this.nextId(),
      user: { id: user.id, username: user.username, state: user.state },
      created_at: issue.updatedAt,
      resource_type: 'Issue',
      label: { id: 73, name },
      action: 'add',
    })
  }

  /** Quick actions that change what they are written on, with what the token may do. */
  obey(text: string, on: { state: string; labels: Set<string> }): void {
    for (const line of quickActionsOf(text)) {
      this.obeyed.push(line)
      if (line.startsWith('/merge')) on.state = 'merged'
      if (line.startsWith('/close')) on.state = 'closed'
      if (line.startsWith('/label ')) on.labels.add(line.slice('/label '.length).replace('~', ''))
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', 'http://gitlab')
    const { method = 'GET' } = request
    this.requests.push(`${method} ${url.pathname}${url.search}`)
    const {
      status,
      body,
      headers = {},
    } = this.instead(method, url.pathname) ?? (await this.#route(request, url, text))
    if (this.loses(method, url.pathname)) {
      response.destroy()
      return
    }
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  }

  async #route(request: IncomingMessage, url: URL, text: string): Promise<Reply> {
    const token = this.#tokens.get(String(request.headers['private-token']))
    if (!token) return { status: 401, body: { message: '401 Unauthorized' } }
    if (!token.scopes.includes('api')) {
      return { status: 403, body: { error: 'insufficient_scope', scope: 'api' } }
    }
    const what = `${request.method ?? ''} ${url.pathname}`
    const route = ROUTES.find(({ method, path }) => method === request.method && path.test(url.pathname))
    if (!route) {
      this.problems.add(`${what}: no such operation`)
      return { status: 404, body: { error: '404 Not Found' } }
    }
    const parts = (route.path.exec(url.pathname) ?? []).slice(1).map((part) => decodeURIComponent(part))
    const project = route.hasProject ? this.#projects.get(parts[0] ?? '') : undefined
    const isHidden = token.project !== '' && project?.path !== token.project
    if (route.hasProject && (!project || isHidden)) {
      return { status: 404, body: { message: '404 Project Not Found' } }
    }
    const query = Object.fromEntries(url.searchParams)
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    const problem = problemIn(route.query, query) ?? problemIn(route.body, body)
    if (problem !== undefined) {
      this.problems.add(`${what}: ${problem}`)
      return { status: 400, body: { error: problem } }
    }
    const call: Call = { gitlab: this, project: project ?? NOWHERE, parts, query, body, by: token.user }
    const answer = await route.run(call)
    return Array.isArray(answer.body) && 'per_page' in route.query ? paginate(answer.body, query) : answer
  }
}

const NOWHERE: Project = {
  id: 0,
  path: '',
  members: new Map(),
  mergeRequests: [],
  issues: [],
  commits: new Map(),
}

/** Grape ignores what it does not know. We do not send it. */
function problemIn(parameters: Parameters, values: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    const known = parameters[name]
    if (!known) return `${name} is unknown`
    if (!known.isValid(value)) return `${name} is invalid`
  }
  const missing = Object.entries(parameters).find(([name, { isRequired }]) => isRequired && !(name in values))
  return missing && `${missing[0]} is missing`
}

function paginate(list: readonly unknown[], query: Readonly<Record<string, string>>) {
  const size = Math.min(Number(query['per_page'] ?? 20), 100)
  const page = Number(query['page'] ?? 1)
  const total = Math.ceil(list.length / size)
  return {
    status: 200,
    body: list.slice((page - 1) * size, page * size),
    headers: {
      'x-total': String(list.length),
      'x-total-pages': String(Math.max(total, 1)),
      'x-page': String(page),
      'x-per-page': String(size),
      'x-next-page': page < total ? String(page + 1) : '',
    },
  }
}
