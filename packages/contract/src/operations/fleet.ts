import { Type } from 'typebox'
import { MAX_NAME_LENGTH } from '../facts/names.ts'
import { Phase } from '../schemas/agent.ts'
import { FleetChange, FleetEntry, HourOfSpend } from '../schemas/fleet.ts'
import { AgentIdInput, TenantInput } from '../schemas/identity.ts'
import { Flag, request, response, Text } from '../schemas/primitives.ts'
import { entry, status } from './examples.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

const scopeFields = {
  account: Type.Optional(
    Text('Whose agents: empty for yours, * for everyone’s, a name, or provider/name.', { maxLength: 512 }),
  ),
  workspace: Type.Optional(Text('Only agents of this workspace.', { maxLength: MAX_NAME_LENGTH })),
  tenant: Type.Optional(TenantInput),
}

const filterFields = {
  ...scopeFields,
  includeTerminal: Type.Optional(Flag('Whether to include agents that have ended.')),
  labelSelector: Type.Optional(
    Text('Labels that must match, such as team=payments,env=dev.', { maxLength: 4096 }),
  ),
  phases: Type.Optional(Type.Array(Phase, { maxItems: 16, description: 'Only agents in these phases.' })),
  under: Type.Optional(AgentIdInput),
}

const fleetEntry: FleetEntry = {
  ...entry,
  createTime: status.createTime,
  endTime: '',
  labels: status.labels,
  persona: status.persona,
  model: status.model,
  maxCost: status.maxCost,
  budgetReached: 0,
  runCount: status.runCount,
  errorMessage: '',
  openTasks: 1,
  totalTasks: 1,
  description: status.description,
  nextDeliverAt: '',
  lastMessage: status.lastMessage,
}

const cursor = 'WyJmbGVldCIsIjQyMTciLCIwIiwiMTc5NDczNTAwMDAwMCJd'

export const listFleet = defineOperation({
  id: 'listFleet',
  method: 'POST',
  path: '/v1/fleet',
  headers: ['Skein-Position'],
  tag: 'agents',
  summary: 'List a whole fleet',
  description:
    'Agents of all levels, newest first; with under, that agent and its descendants. ' +
    'A watch that starts at the cursor of the first page misses nothing.',
  permission: 'agent.read',
  body: request('ListFleetRequest', { ...filterFields, ...pageQuery }),
  response: response('ListFleetResponse', {
    entries: Type.Array(FleetEntry),
    nextPageToken,
    cursor: Text('Where a watch of the same fleet continues. Keep the first page’s cursor.'),
  }),
  reasons: ['AGENT_NOT_FOUND', 'TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID', 'FILTER_TOO_BROAD'],
  example: {
    request: { account: '*', pageSize: 100 },
    response: { entries: [fleetEntry], nextPageToken: '', cursor },
  },
})

export const watchFleet = defineOperation({
  id: 'watchFleet',
  method: 'POST',
  path: '/v1/fleet/watch',
  tag: 'agents',
  summary: 'Watch a fleet',
  description:
    'A stream of server-sent events: the newest state of each agent that changes. It continues after a cursor, ' +
    'from the body or as Last-Event-ID, or starts now without one. Several changes of an agent may be combined. ' +
    'A cursor is valid for 23 hours; after that, list again. After 15 seconds without changes, ' +
    'an event named position is sent with a newer cursor as its id; it is not a change.',
  permission: 'agent.read',
  body: request('WatchFleetRequest', {
    ...filterFields,
    after: Type.Optional(Text('The cursor of a list, or of the last change seen.', { maxLength: 1024 })),
  }),
  response: FleetChange,
  streams: true,
  headers: ['Last-Event-ID'],
  reasons: ['AGENT_NOT_FOUND', 'TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    request: { account: '*', after: cursor },
    response: { entry: fleetEntry, isListed: true, cursor },
  },
})

const MAX_SUMMARY_HOURS = 168

export const summarizeFleet = defineOperation({
  id: 'summarizeFleet',
  method: 'POST',
  path: '/v1/fleet/summary',
  tag: 'agents',
  summary: 'Count a fleet and what it spends',
  description: 'How many agents are in each phase, and what was spent hour by hour. Whole hours, in UTC.',
  permission: 'agent.read',
  body: request('SummarizeFleetRequest', {
    ...scopeFields,
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SUMMARY_HOURS,
        description: 'How many hours back, including the current one. Default: 24.',
      }),
    ),
  }),
  response: response('SummarizeFleetResponse', {
    phases: Type.Array(
      response(undefined, {
        phase: Phase,
        agents: Type.Integer({
          description: 'Number of agents in it; for a terminal phase, those that ended in these hours.',
        }),
      }),
      { description: 'Every phase, including those without agents.' },
    ),
    needsInput: Type.Integer({ description: 'How many agents have a question.' }),
    spend: Type.Array(HourOfSpend, {
      description: 'Every hour, oldest first, including those without spend.',
    }),
    costTotal: Type.Number({ description: 'All hours together, in US dollars.' }),
    workspaces: Type.Array(
      response(undefined, {
        workspace: Text('Its name.'),
        agents: Type.Integer({ description: 'How many live agents it has.' }),
        cost: Type.Number({ description: 'What was spent there in these hours, in US dollars.' }),
      }),
      { description: 'Workspaces with live agents or spend, by name.' },
    ),
  }),
  reasons: ['AGENT_NOT_FOUND', 'TENANT_NOT_FOUND'],
  example: {
    request: { account: '*', hours: 1 },
    response: {
      phases: [
        { phase: 'PHASE_PENDING', agents: 0 },
        { phase: 'PHASE_RUNNING', agents: 1 },
        { phase: 'PHASE_WAITING', agents: 0 },
        { phase: 'PHASE_COMPLETED', agents: 12 },
        { phase: 'PHASE_FAILED', agents: 0 },
        { phase: 'PHASE_CANCELED', agents: 0 },
      ],
      needsInput: 0,
      spend: [{ time: '2026-11-15T09:00:00.000Z', cost: 0.42, inputTokens: '120344', outputTokens: '5120' }],
      costTotal: 0.42,
      workspaces: [{ workspace: 'shop', agents: 1, cost: 0.42 }],
    },
  },
})
