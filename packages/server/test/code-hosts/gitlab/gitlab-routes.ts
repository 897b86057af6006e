import { randomUUID } from 'node:crypto'
import {
  shaOf,
  toDiscussion,
  toNote,
  toUser,
  type GitLabState,
  type Issue,
  type MergeRequest,
  type Project,
  type User,
} from './gitlab-state.ts'

export interface Call {
  readonly gitlab: GitLabState
  readonly project: Project
  readonly parts: readonly string[]
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly by: User
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

export type Parameters = Readonly<
  Record<string, { readonly isValid: (value: unknown) => boolean; readonly isRequired: boolean }>
>

interface Route {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: RegExp
  readonly hasProject: boolean
  readonly query: Parameters
  readonly body: Parameters
  readonly run: (call: Call) => Answer | Promise<Answer>
}

const text = { isValid: (value: unknown) => typeof value === 'string', isRequired: false }
const needed = { isValid: (value: unknown) => typeof value === 'string' && value !== '', isRequired: true }
const flag = { isValid: (value: unknown) => typeof value === 'boolean', isRequired: true }
const number = { isValid: (value: unknown) => /^[0-9]+$/.test(String(value)), isRequired: false }
const numbers = {
  isValid: (value: unknown) => Array.isArray(value) && value.every((each) => Number.isSafeInteger(each)),
  isRequired: false,
}
const time = { isValid: (value: unknown) => !Number.isNaN(Date.parse(String(value))), isRequired: false }
const oneOf = (...values: string[]) => ({
  isValid: (value: unknown) => values.includes(String(value)),
  isRequired: false,
})
const PAGES = {
  page: number,
  per_page: { isValid: (value: unknown) => Number(value) > 0 && Number(value) <= 100, isRequired: false },
}
const SORT = { order_by: oneOf('created_at', 'updated_at'), sort: oneOf('asc', 'desc') }

const PROJECT = '^/api/v4/projects/([^/]+)'
const MERGE_REQUEST = `${PROJECT}/merge_requests/([0-9]+)`
const ISSUE = `${PROJECT}/issues/([0-9]+)`

const ok = (body: unknown, status = 200): Answer => ({ status, body })
const missing = (what: string): Answer => ({ status: 404, body: { message: `404 ${what} Not Found` } })

function inProject(
  method: Route['method'],
  path: string,
  { query = {}, body = {} }: { readonly query?: Parameters; readonly body?: Parameters },
  run: Route['run'],
): Route {
  return { method, path: new RegExp(`${path}$`), hasProject: true, query, body, run }
}

/** As GitLab documents them. */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/api\/v4\/user$/,
    hasProject: false,
    query: {},
    body: {},
    run: ({ by }) => ok({ ...toUser(by), bot: by.bot }),
  },
  {
    method: 'GET',
    path: /^\/api\/v4\/users$/,
    hasProject: false,
    query: { username: needed, ...PAGES },
    body: {},
    run: ({ gitlab, query }) => {
      const found = gitlab.findUser(query['username'] ?? '')
      return ok(found ? [toUser(found)] : [])
    },
  },
  {
    method: 'GET',
    path: /^\/api\/v4\/users\/([0-9]+)$/,
    hasProject: false,
    query: {},
    body: {},
    run: ({ gitlab, parts }) => {
      const found = gitlab.userOf(Number(parts[0]))
      return found ? ok({ ...toUser(found), bot: found.bot }) : missing('User')
    },
  },
  {
    method: 'POST',
    path: /^\/api\/graphql$/,
    hasProject: false,
    query: {},
    body: { query: needed, variables: { isValid: (value) => typeof value === 'object', isRequired: true } },
    run: askAgain,
  },
  inProject('GET', `${PROJECT}/members/all/([0-9]+)`, {}, ({ gitlab, project, parts }) => {
    const id = Number(parts[1])
    const level = project.members.get(id)
    const user = gitlab.userOf(id)
    if (level === undefined || !user) return missing('Not found')
    return ok({ ...toUser(user), access_level: level, membership_state: 'active', expires_at: null })
  }),
  inProject(
    'GET',
    `${PROJECT}/merge_requests`,
    {
      query: {
        state: oneOf('opened', 'closed', 'locked', 'merged', 'all'),
        scope: oneOf('created_by_me', 'assigned_to_me', 'all'),
        source_branch: text,
        target_branch: text,
        ...SORT,
        ...PAGES,
      },
    },
    async (call) => {
      const { project, query } = call
      const found = project.mergeRequests.filter(
        (pull) => pull.state === query['state'] && pull.sourceBranch === query['source_branch'],
      )
      return ok(await Promise.all(found.toReversed().map((pull) => toMergeRequest(call, pull))))
    },
  ),
  inProject(
    'POST',
    `${PROJECT}/merge_requests`,
    {
      body: { source_branch: needed, target_branch: needed, title: needed, description: text },
    },
    openMergeRequest,
  ),
  inProject(
    'GET',
    MERGE_REQUEST,
    {},
    onMergeRequest(async (call, pull) => ok(await toMergeRequest(call, pull))),
  ),
  inProject(
    'PUT',
    MERGE_REQUEST,
    {
      body: { target_branch: text, title: text, description: text, add_labels: text, reviewer_ids: numbers },
    },
    onMergeRequest(updateMergeRequest),
  ),
  inProject(
    'GET',
    `${MERGE_REQUEST}/discussions`,
    { query: PAGES },
    onMergeRequest((_call, { discussions }) => ok(discussions.map(toDiscussion))),
  ),
  inProject(
    'POST',
    `${MERGE_REQUEST}/discussions/([0-9a-f]+)/notes`,
    { body: { body: needed } },
    onMergeRequest(({ gitlab, parts, body, by }, pull) => {
      const discussion = pull.discussions.find(({ id }) => id === parts[2])
      if (!discussion) return missing('Discussion')
      gitlab.obey(String(body['body']), pull)
      const note = gitlab.write(by, String(body['body']))
      discussion.isThread = true
      discussion.notes.push(note)
      return ok(toNote(note), 201)
    }),
  ),
  inProject(
    'PUT',
    `${MERGE_REQUEST}/discussions/([0-9a-f]+)`,
    { body: { resolved: flag } },
    onMergeRequest(({ parts, body }, pull) => {
      const discussion = pull.discussions.find(({ id }) => id === parts[2])
      if (!discussion?.isThread) return missing('Discussion')
      discussion.isResolved = body['resolved'] === true
      return ok(toDiscussion(discussion))
    }),
  ),
  inProject(
    'GET',
    `${MERGE_REQUEST}/reviewers`,
    {},
    onMergeRequest((_call, { reviewers }) =>
      ok([...reviewers.values()].map(({ user, state }) => ({ user: toUser(user), state }))),
    ),
  ),
  inProject('GET', `${PROJECT}/pipelines/([0-9]+)/jobs`, { query: PAGES }, ({ project, parts }) => {
    const found = project.mergeRequests.find(({ pipeline }) => pipeline?.id === Number(parts[1]))
    return found?.pipeline ? ok(found.pipeline.jobs.map(({ log: _log, ...job }) => job)) : missing('Pipeline')
  }),
  inProject('GET', `${PROJECT}/jobs/([0-9]+)/trace`, {}, ({ project, parts }) => {
    const jobs = project.mergeRequests.flatMap(({ pipeline }) => pipeline?.jobs ?? [])
    const job = jobs.find(({ id }) => id === Number(parts[1]))
    return job ? ok(job.log) : missing('Not found')
  }),
  inProject(
    'GET',
    `${PROJECT}/repository/commits/([0-9a-f]+)/statuses`,
    { query: { pipeline_id: number, ...PAGES } },
    ({ project }) => ok(project.mergeRequests.flatMap(({ pipeline }) => pipeline?.statuses ?? [])),
  ),
  inProject('GET', `${PROJECT}/repository/commits/([0-9a-f]+)`, {}, ({ project, parts }) => {
    const parents = project.commits.get(parts[1] ?? '')
    return parents ? ok({ id: parts[1], parent_ids: parents }) : missing('Commit')
  }),
  inProject(
    'GET',
    `${PROJECT}/issues`,
    {
      query: {
        updated_after: time,
        scope: oneOf('created_by_me', 'assigned_to_me', 'all'),
        state: oneOf('opened', 'closed', 'all'),
        ...SORT,
        ...PAGES,
      },
    },
    ({ project, query }) => {
      const after = Date.parse(query['updated_after'] ?? '')
      const found = project.issues.filter(
        ({ state, updatedAt }) => state === query['state'] && Date.parse(updatedAt) >= after,
      )
      return ok(found.toSorted((left, right) => left.updatedAt.localeCompare(right.updatedAt)).map(toIssue))
    },
  ),
  inProject(
    'GET',
    ISSUE,
    {},
    onIssue((_call, issue) => ok(toIssue(issue))),
  ),
  inProject(
    'GET',
    `${ISSUE}/notes`,
    { query: { activity_filter: oneOf('all_notes', 'only_comments', 'only_activity'), ...SORT, ...PAGES } },
    onIssue(({ query }, { notes }) => {
      const filter = query['activity_filter']
      const wanted = notes.filter(
        ({ system }) => filter === 'all_notes' || system === (filter === 'only_activity'),
      )
      return ok(
        wanted
          .toSorted((left, right) => right.updatedAt.localeCompare(left.updatedAt))
          .map((note) => toNote(note)),
      )
    }),
  ),
  inProject(
    'POST',
    `${ISSUE}/notes`,
    { body: { body: needed } },
    onIssue(({ gitlab, body, by }, issue) => {
      gitlab.obey(String(body['body']), issue)
      const note = gitlab.write(by, String(body['body']))
      issue.notes.push(note)
      return ok(toNote(note), 201)
    }),
  ),
  inProject(
    'GET',
    `${ISSUE}/resource_label_events`,
    { query: PAGES },
    onIssue((_call, { labelEvents }) => ok(labelEvents)),
  ),
]

function onMergeRequest(run: (call: Call, pull: MergeRequest) => Answer | Promise<Answer>): Route['run'] {
  return (call) => {
    const pull = call.project.mergeRequests.find(({ iid }) => iid === Number(call.parts[1]))
    return pull ? run(call, pull) : missing('Not found')
  }
}

function onIssue(run: (call: Call, issue: Issue) => Answer): Route['run'] {
  return (call) => {
    const issue = call.project.issues.find(({ iid }) => iid === Number(call.parts[1]))
    return issue ? run(call, issue) : missing('Not found')
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

async function openMergeRequest(call: Call): Promise<Answer> {
  const { gitlab, project, body, by } = call
  const [source, target] = [String(body['source_branch']), String(body['target_branch'])]
  for (const branch of [source, target]) {
    if ((await gitlab.headOf(project.path, branch)) === undefined) {
      return { status: 400, body: { message: [`Branch "${branch}" does not exist`] } }
    }
  }
  const other = project.mergeRequests.find(
    (pull) => pull.state === 'opened' && pull.sourceBranch === source && pull.targetBranch === target,
  )
  if (other) {
    const said = `Another open merge request already exists for this source branch: !${other.iid}`
    return { status: 409, body: { message: [said] } }
  }
  const pull: MergeRequest = {
    iid: project.mergeRequests.length + 1,
    title: String(body['title']),
    description: textOf(body['description']),
    state: 'opened',
    sourceBranch: source,
    targetBranch: target,
    sourceProject: project.id,
    author: by,
    hasConflicts: false,
    labels: new Set(),
    reviewers: new Map(),
    discussions: [],
  }
  project.mergeRequests.push(pull)
  gitlab.obey(pull.description, pull)
  return ok(await toMergeRequest(call, pull), 201)
}

async function updateMergeRequest(call: Call, pull: MergeRequest): Promise<Answer> {
  const { gitlab, body } = call
  if (Object.keys(body).length === 0) return { status: 400, body: { error: 'nothing to update' } }
  if (typeof body['title'] === 'string') pull.title = body['title']
  if (typeof body['target_branch'] === 'string') pull.targetBranch = body['target_branch']
  if (typeof body['description'] === 'string') {
    pull.description = body['description']
    gitlab.obey(pull.description, pull)
  }
  for (const label of textOf(body['add_labels']).split(',')) {
    if (label.trim() !== '') pull.labels.add(label.trim())
  }
  if (Array.isArray(body['reviewer_ids'])) {
    const before = new Map(pull.reviewers)
    pull.reviewers.clear()
    for (const id of body['reviewer_ids'] as number[]) {
      const user = gitlab.userOf(id)
      if (user) pull.reviewers.set(id, before.get(id) ?? { user, state: 'unreviewed' })
    }
  }
  return ok(await toMergeRequest(call, pull))
}

function askAgain({ gitlab, body }: Call): Answer {
  const { projectPath, iid, userId } = body['variables'] as Record<string, string>
  const id = Number(String(userId).replace('gid://gitlab/User/', ''))
  const reviewer = gitlab.mergeRequest(projectPath ?? '', Number(iid)).reviewers.get(id)
  if (reviewer) reviewer.state = 'unreviewed'
  const errors = reviewer ? [] : ['Reviewer not found']
  return ok({ data: { mergeRequestReviewerRereview: { errors } } })
}

async function toMergeRequest({ gitlab, project }: Call, pull: MergeRequest): Promise<object> {
  const { pipeline, reviewers, sourceProject } = pull
  const sha = await gitlab.headOf(project.path, pull.sourceBranch)
  return {
    id: 10_000 + pull.iid,
    iid: pull.iid,
    project_id: project.id,
    title: pull.title,
    description: pull.description,
    state: pull.state,
    draft: /^(\[draft\]|\(draft\)|draft:)/i.test(pull.title),
    source_branch: pull.sourceBranch,
    target_branch: pull.targetBranch,
    source_project_id: sourceProject,
    target_project_id: project.id,
    author: toUser(pull.author),
    labels: [...pull.labels],
    reviewers: [...reviewers.values()].map(({ user }) => toUser(user)),
    sha: sha ?? shaOf(randomUUID()),
    has_conflicts: pull.hasConflicts,
    detailed_merge_status: pull.hasConflicts ? 'conflict' : 'mergeable',
    head_pipeline: pipeline
      ? {
          id: pipeline.id,
          sha: pipeline.sha,
          ref: pipeline.ref ?? pull.sourceBranch,
          status: pipeline.status,
          yaml_errors: pipeline.yaml_errors ?? null,
        }
      : null,
  }
}

function toIssue(issue: Issue): object {
  const { iid, title, description, state, author, confidential, labels, assignees } = issue
  return {
    id: 20_000 + iid,
    iid,
    title,
    description,
    state,
    author: toUser(author),
    confidential,
    labels: [...labels],
    assignees: assignees.map(toUser),
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    imported: false,
    issue_type: 'issue',
  }
}
