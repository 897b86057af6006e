import { Type } from 'typebox'
import { AgentIdInput } from '../schemas/identity.ts'
import { Int64, request, response } from '../schemas/primitives.ts'
import { TimelineEvent } from '../schemas/timeline.ts'
import { agentId, agentIdInput, followUpId } from './examples.ts'
import { defineOperation } from './operation.ts'
import { pageQuery } from './paging.ts'

const afterSequence = Type.Optional(
  Int64('Only events after this sequence number; 0 for all.', { minimum: 0 }),
)

const event = {
  type: 'follow-up.delivered',
  sequence: '12',
  agentId,
  time: '2026-11-15T09:30:00.000Z',
  actor: 'ada',
  followUpId,
  runId: '3',
  steered: false,
}

export const readTimeline = defineOperation({
  id: 'readTimeline',
  method: 'POST',
  path: '/v1/agent/timeline',
  headers: ['Skein-Position'],
  tag: 'timeline',
  summary: 'Read an agent’s timeline',
  description: 'Everything that happened to the agent, oldest first, numbered without gaps.',
  permission: 'agent.follow',
  body: request('ReadTimelineRequest', {
    agentId: AgentIdInput,
    afterSequence,
    pageSize: pageQuery.pageSize,
  }),
  response: response('ReadTimelineResponse', {
    events: Type.Array(TimelineEvent),
    lastSequence: Int64('The newest event; keep reading from your last one until you reach it.'),
  }),
  reasons: ['AGENT_NOT_FOUND', 'TIMELINE_UNAVAILABLE', 'TIMELINE_DAMAGED'],
  example: {
    request: { agentId: agentIdInput, afterSequence: '11' },
    response: { events: [event], lastSequence: '12' },
  },
})

export const watchAgent = defineOperation({
  id: 'watchAgent',
  method: 'POST',
  path: '/v1/agent/watch',
  tag: 'timeline',
  summary: 'Watch an agent’s timeline',
  description:
    'The timeline as server-sent events; the id of each is its sequence number. ' +
    'Last-Event-ID or afterSequence continues where a lost stream ended, without missing or repeating events.',
  permission: 'agent.follow',
  body: request('WatchAgentRequest', { agentId: AgentIdInput, afterSequence }),
  response: TimelineEvent,
  streams: true,
  headers: ['Last-Event-ID', 'Skein-Position'],
  reasons: ['AGENT_NOT_FOUND', 'TIMELINE_UNAVAILABLE', 'TIMELINE_DAMAGED'],
  example: { request: { agentId: agentIdInput }, response: event },
})
