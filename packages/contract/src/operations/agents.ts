import { Type, type Static } from 'typebox'
import { AgentEntry, AgentStatus, Phase, StopTurnMode, WaitReason } from '../schemas/agent.ts'
import { AgentId, AgentIdInput, TenantInput } from '../schemas/identity.ts'
import { Flag, Int64, request, response, SizedText, Text } from '../schemas/primitives.ts'
import { labels, MAX_BUDGET_USD, MAX_DESCRIPTION_BYTES, settingsInput } from '../schemas/settings.ts'
import { TaskInput } from '../schemas/task.ts'
import { agentId, agentIdInput, entry, followUpId, status, waitingStatus } from './examples.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const SpawnAgentRequest = request('SpawnAgentRequest', {
  agentId: Type.Optional(AgentIdInput),
  description: SizedText('The work.', { minLength: 1, maxBytes: MAX_DESCRIPTION_BYTES }),
  expectedOutput: Type.Optional(SizedText('The expected result.', { maxBytes: MAX_DESCRIPTION_BYTES })),
  tasks: Type.Optional(Type.Array(TaskInput, { maxItems: 500, description: 'The first checklist.' })),
  ...settingsInput,
  autoComplete: Type.Optional(
    Flag('Whether the agent completes automatically when its turn ends with nothing open.'),
  ),
  maxCost: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_BUDGET_USD,
      description:
        'Budget in US dollars for the agent and its subtree; 0 means that it has no budget itself.',
    }),
  ),
  labels: Type.Optional(labels),
  resume: Type.Optional(
    Flag(
      'Continues an agent that has ended. It keeps its conversation, branch, unfinished work, open tasks, settings and ' +
        'budget with what was spent of it; the description is its next message. Everything else in the request replaces ' +
        'what the agent had. Its backend cannot change.',
    ),
  ),
})
export type SpawnAgentRequest = Static<typeof SpawnAgentRequest>

export const spawnAgent = defineOperation({
  id: 'spawnAgent',
  method: 'POST',
  path: '/v1/agent/spawn',
  tag: 'agents',
  summary: 'Spawn an agent',
  description:
    'Starts a root agent, or a child where the path has more than one element. ' +
    'An ended agent starts a new incarnation under its name; with resume, it continues where it was.',
  permission: 'agent.drive',
  isMutation: true,
  body: SpawnAgentRequest,
  response: response('SpawnAgentResponse', {
    agentId: AgentId,
    followUpId: Text('The first message.'),
    dashboardUrl: Text('The agent’s page in the dashboard.'),
  }),
  reasons: [
    'AGENT_NOT_FOUND',
    'AGENT_ALREADY_EXISTS',
    'PARENT_NOT_LIVE',
    'SESSION_EXPIRED',
    'AGENT_BEING_REMOVED',
    'RESOURCE_NOT_FOUND',
    'MODEL_SETTINGS_INVALID',
    'QUOTA_EXCEEDED',
    'BUDGET_USED_UP',
  ],
  example: {
    request: {
      agentId: agentIdInput,
      description: status.description,
      expectedOutput: status.expectedOutput,
    },
    response: { agentId, followUpId, dashboardUrl: entry.dashboardUrl },
  },
})

const onlyAgentId = request('AgentRequest', { agentId: AgentIdInput })

export const agentStatus = defineOperation({
  id: 'agentStatus',
  method: 'POST',
  path: '/v1/agent/status',
  tag: 'agents',
  summary: 'Read an agent’s status',
  description: 'Everything about one agent: phase, run, checklist, queue, cost.',
  permission: 'agent.follow',
  body: onlyAgentId,
  response: AgentStatus,
  reasons: ['AGENT_NOT_FOUND'],
  example: { request: { agentId: agentIdInput }, response: status },
})

export const waitForAgent = defineOperation({
  id: 'waitForAgent',
  method: 'POST',
  path: '/v1/agent/wait',
  tag: 'agents',
  summary: 'Wait until an agent needs attention',
  description:
    'Responds when the agent completes, fails, is canceled or rests. Disconnecting ends the wait. ' +
    'The header Prefer: wait=N requests a response within N seconds.',
  permission: 'agent.follow',
  body: onlyAgentId,
  response: response('WaitForAgentResponse', { reason: WaitReason, status: AgentStatus }),
  headers: ['Prefer'],
  reasons: ['AGENT_NOT_FOUND', 'REQUEST_CANCELLED'],
  example: {
    request: { agentId: agentIdInput },
    response: { reason: 'WAIT_REASON_WAITING', status: waitingStatus },
  },
})

export const stopTurn = defineOperation({
  id: 'stopTurn',
  method: 'POST',
  path: '/v1/agent/stop-turn',
  tag: 'agents',
  summary: 'Stop an agent’s turn',
  description:
    'Specifies the run to stop, so that a retried stop never affects a newer one. The agent stays alive.',
  permission: 'agent.drive',
  isMutation: true,
  body: request('StopTurnRequest', {
    agentId: AgentIdInput,
    runId: Int64('The current run’s number: runCount of the status.'),
    mode: Type.Optional(StopTurnMode),
  }),
  response: response('StopTurnResponse', {}),
  reasons: ['AGENT_NOT_FOUND', 'RUN_NOT_CURRENT'],
  example: { request: { agentId: agentIdInput, runId: '3', mode: 'STOP_TURN_MODE_INTERRUPT' }, response: {} },
})

export const setBudget = defineOperation({
  id: 'setBudget',
  method: 'POST',
  path: '/v1/agent/budget',
  tag: 'agents',
  summary: 'Change what an agent may spend',
  description:
    'Sets the budget of a live agent and its whole subtree. Agents that had run out of budget continue if there is budget again.',
  permission: 'agent.drive',
  isMutation: true,
  body: request('SetBudgetRequest', {
    agentId: AgentIdInput,
    maxCost: Type.Number({
      minimum: 0,
      maximum: MAX_BUDGET_USD,
      description: 'US dollars; 0 removes the budget.',
    }),
  }),
  response: response('SetBudgetResponse', {
    resumed: Type.Integer({ description: 'How many agents continue.' }),
  }),
  reasons: ['AGENT_NOT_FOUND', 'AGENT_NOT_RUNNING'],
  example: { request: { agentId: agentIdInput, maxCost: 10 }, response: { resumed: 1 } },
})

export const killAgent = defineOperation({
  id: 'killAgent',
  method: 'POST',
  path: '/v1/agent/kill',
  tag: 'agents',
  summary: 'Kill an agent and all its descendants',
  description: 'Including those being spawned at that moment.',
  permission: 'agent.drive',
  isMutation: true,
  body: onlyAgentId,
  response: response('KillAgentResponse', {}),
  reasons: ['AGENT_NOT_FOUND'],
  example: { request: { agentId: agentIdInput }, response: {} },
})

const listFields = {
  parentId: Type.Optional(AgentIdInput),
  account: Type.Optional(
    Text(
      'Whose agents: empty for yours, * for everyone’s, a name, or provider/name such as service_profile/ci.',
      {
        maxLength: 512,
      },
    ),
  ),
  includeTerminal: Type.Optional(Flag('Whether to include agents that have ended.')),
  tenant: Type.Optional(TenantInput),
  labelSelector: Type.Optional(
    Text('Labels that must match, such as team=payments,env=dev.', { maxLength: 4096 }),
  ),
  phases: Type.Optional(Type.Array(Phase, { maxItems: 16, description: 'Only agents in these phases.' })),
}

export const listAgents = defineOperation({
  id: 'listAgents',
  method: 'POST',
  path: '/v1/agents',
  headers: ['Skein-Position'],
  tag: 'agents',
  summary: 'List agents',
  description: 'One level deep, newest first: root agents, or the children of one parent.',
  permission: 'agent.read',
  body: request('ListAgentsRequest', { ...listFields, ...pageQuery }),
  response: response('ListAgentsResponse', { entries: Type.Array(AgentEntry), nextPageToken }),
  reasons: ['AGENT_NOT_FOUND', 'TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: { request: { includeTerminal: true }, response: { entries: [entry], nextPageToken: '' } },
})

export const watchAgents = defineOperation({
  id: 'watchAgents',
  method: 'POST',
  path: '/v1/agents/watch',
  tag: 'agents',
  summary: 'Watch the list of agents',
  description: 'A stream of server-sent events: an entry of the list is sent again whenever it changes.',
  permission: 'agent.read',
  body: request('WatchAgentsRequest', listFields),
  response: AgentEntry,
  streams: true,
  reasons: ['AGENT_NOT_FOUND', 'TENANT_NOT_FOUND'],
  example: { request: {}, response: entry },
})
