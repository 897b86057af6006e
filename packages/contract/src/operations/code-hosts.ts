import { Type, type Static } from 'typebox'
import { TenantInPath } from '../schemas/identity.ts'
import { pullRequest } from '../catalog/kinds/pull-request.ts'
import { AgentId, AgentIdInput } from '../schemas/identity.ts'
import { Flag, MaybeTimestamp, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { tenantQuery } from './catalog.ts'
import { agentId, agentIdInput } from './examples.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const receiveHostWebhook = defineOperation({
  id: 'receiveHostWebhook',
  method: 'POST',
  path: '/v1/code-host/{tenant}/{name}',
  tag: 'automations',
  summary: 'Send a webhook of a code host',
  description:
    'For code hosts. Needs no API key: the request is signed with the webhook secret of the code host, as GitHub and Gitea do it, or has it in `X-Gitlab-Token`. ' +
    'It is recorded, and the pull request or issue it concerns is read a moment later. Copies have no further effect.',
  permission: 'none',
  params: request(undefined, {
    tenant: TenantInPath,
    name: Text('The code host.', { maxLength: 63 }),
  }),
  acceptsAnyBody: true,
  successStatus: 202,
  response: response('ReceiveHostWebhookResponse', {
    isCopy: Flag('Whether the same webhook was received before.'),
  }),
  reasons: ['WEBHOOK_REFUSED', 'BODY_TOO_LARGE'],
  example: { path: '/v1/code-host/codehost_app:acme/github', response: { isCopy: false } },
})

const AnswerThreadRequest = request('AnswerThreadRequest', {
  lease: Text('The lease of the run.', { minLength: 1, maxLength: 512 }),
  thread: Text('The thread, as it was given to the agent.', { minLength: 1, maxLength: 200 }),
  text: Text('The answer, as Markdown.', { minLength: 1, maxLength: 16_384 }),
  resolve: Type.Optional(Flag('Whether the thread is done and is to be resolved.')),
})
export type AnswerThreadRequest = Static<typeof AnswerThreadRequest>

export const answerThread = defineOperation({
  id: 'answerThread',
  method: 'POST',
  path: '/v1/runner/pull-request/answer',
  tag: 'runners',
  summary: 'Answer a thread of a pull request',
  description:
    'Records an agent’s answer. It is posted when the agent rests; until then, another answer replaces it.',
  permission: 'run.execute',
  body: AnswerThreadRequest,
  response: response('AnswerThreadResponse', { thread: Text('The thread.') }),
  reasons: ['RUN_NOT_CURRENT', 'REVIEW_THREAD_NOT_FOUND'],
  example: {
    request: {
      lease: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10.0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f11.3.1',
      thread: 'shop-12-3f9a1c07/c81',
      text: 'Done: it retries three times now.',
      resolve: true,
    },
    response: { thread: 'shop-12-3f9a1c07/c81' },
  },
})

const {
  workspace: _workspace,
  account: _account,
  agent: _agent,
  threads: _threads,
  ...facts
} = pullRequest.schema.properties

const {
  workspace: _exampleWorkspace,
  account: _exampleAccount,
  agent: _exampleAgent,
  threads: _exampleThreads,
  ...exampleFacts
} = pullRequest.example

export const AgentPullRequest = response(
  'AgentPullRequest',
  {
    name: Text('Of its resource.'),
    ...facts,
    createTime: Timestamp('When it was opened.'),
    updateTime: Timestamp('When its title, state or branches last changed.'),
  },
  { description: 'A pull request of an agent, as last read from the code host.' },
)
export type AgentPullRequest = Static<typeof AgentPullRequest>

const examplePullRequest = {
  name: 'shop-12-3f9a1c07',
  ...exampleFacts,
  createTime: '2026-11-15T09:30:00.000Z',
  updateTime: '2026-11-15T09:30:00.000Z',
}

export const listPullRequests = defineOperation({
  id: 'listPullRequests',
  method: 'POST',
  path: '/v1/agent/pull-requests',
  tag: 'agents',
  summary: 'List the pull requests of an agent',
  description: 'The ten newest that the agent opened, the newest first. Its threads are in the resource.',
  permission: 'agent.read',
  body: request('ListPullRequestsRequest', { agentId: AgentIdInput }),
  response: response('ListPullRequestsResponse', { pullRequests: Type.Array(AgentPullRequest) }),
  reasons: ['AGENT_NOT_FOUND'],
  example: {
    request: { agentId: agentIdInput },
    response: {
      pullRequests: [examplePullRequest],
    },
  },
})

/** As many as a page of a fleet shows at once. */
const MAX_FLEET_PULL_REQUESTS = 100

const FleetPullRequest = response(
  'FleetPullRequest',
  {
    agentId: AgentId,
    pullRequest: AgentPullRequest,
    openCount: Type.Integer({ description: 'How many of the agent’s pull requests are open.' }),
  },
  {
    description:
      'The pull request of one agent of a fleet: the newest open one, or the newest if none is open.',
  },
)

export const listFleetPullRequests = defineOperation({
  id: 'listFleetPullRequests',
  method: 'POST',
  path: '/v1/fleet/pull-requests',
  tag: 'agents',
  summary: 'List one pull request of each of many agents',
  description:
    'For each agent the newest open pull request, or the newest if none is open. ' +
    'Agents without one, and agents that don’t exist, are not included.',
  permission: 'agent.read',
  body: request('ListFleetPullRequestsRequest', {
    agentIds: Type.Array(AgentIdInput, {
      minItems: 1,
      maxItems: MAX_FLEET_PULL_REQUESTS,
      description: 'Agents of one tenant.',
    }),
  }),
  response: response('ListFleetPullRequestsResponse', { agents: Type.Array(FleetPullRequest) }),
  reasons: ['TENANT_NOT_FOUND'],
  example: {
    request: { agentIds: [agentIdInput] },
    response: { agents: [{ agentId, pullRequest: examplePullRequest, openCount: 1 }] },
  },
})

const StartingRepository = response(
  'StartingRepository',
  {
    workspace: Text('The workspace whose agents are started.'),
    codeHost: Text('The code host.'),
    repository: Text('The repository on it, as owner/name, in lower case.'),
    problem: Text('Why its issues could not be listed, and what to do about it; empty if they could.'),
    failures: Type.Integer({ description: 'How often in a row they could not be listed.' }),
    readTime: Timestamp('Issues that changed before this were found. Webhooks find newer ones.'),
    nextReadTime: MaybeTimestamp('When they are listed next; empty if not known yet.'),
  },
  { description: 'A repository whose issues start agents, with its state.' },
)

export const listStartingRepositories = defineOperation({
  id: 'listStartingRepositories',
  method: 'GET',
  path: '/v1/code-hosts/repositories',
  tag: 'automations',
  summary: 'List the repositories whose issues start agents',
  description:
    'By workspace, with the reason if their issues cannot be read. A repository is listed once for each workspace with `hostStarts`.',
  permission: 'catalog.read',
  query: request(undefined, { ...tenantQuery, ...pageQuery }),
  response: response('ListStartingRepositoriesResponse', {
    repositories: Type.Array(StartingRepository),
    nextPageToken,
  }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/code-hosts/repositories',
    response: {
      repositories: [
        {
          workspace: 'shop',
          codeHost: 'github',
          repository: 'acme/shop',
          problem:
            'The code host refused (status 404: Not Found). Check that the repository exists, and that the credential of the code host github may read its issues.',
          failures: 1,
          readTime: '2026-11-15T09:30:00.000Z',
          nextReadTime: '2026-11-15T10:30:00.000Z',
        },
      ],
      nextPageToken: '',
    },
  },
})
