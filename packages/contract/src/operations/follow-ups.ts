import { Type, type Static } from 'typebox'
import { FollowUp } from '../schemas/agent.ts'
import { AgentIdInput } from '../schemas/identity.ts'
import { Flag, request, response, SizedText, Text, Timestamp } from '../schemas/primitives.ts'
import { MAX_DESCRIPTION_BYTES, settingsInput } from '../schemas/settings.ts'
import { TaskInput } from '../schemas/task.ts'
import { agentIdInput, followUpId, status } from './examples.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const QueueFollowUpRequest = request('QueueFollowUpRequest', {
  agentId: AgentIdInput,
  description: Type.Optional(SizedText('The message.', { maxBytes: MAX_DESCRIPTION_BYTES })),
  tasks: Type.Optional(Type.Array(TaskInput, { maxItems: 500, description: 'Added to the checklist.' })),
  ...settingsInput,
  followUpId: Type.Optional(
    Type.String({
      maxLength: 128,
      pattern: '^[A-Za-z0-9._:-]*$',
      description:
        'Your own id for the message. Sending it again within one incarnation of the agent changes nothing, unless it was removed in between. Use an Idempotency-Key if a retry must not reach a later incarnation. Generated if empty.',
    }),
  ),
  preempt: Type.Optional(
    Flag('Clear the queue, interrupt the turn and deliver this message next, in one step.'),
  ),
  steer: Type.Optional(
    Flag(
      'Deliver the message in the turn in progress, if there is one and the backend supports it; otherwise as usual. Only for messages without settings or tasks.',
    ),
  ),
  deliverAt: Type.Optional(
    Timestamp('Defer the message until then: at most 30 days ahead, not with preempt.'),
  ),
})
export type QueueFollowUpRequest = Static<typeof QueueFollowUpRequest>

export const queueFollowUp = defineOperation({
  id: 'queueFollowUp',
  method: 'POST',
  path: '/v1/agent/queue',
  tag: 'follow-ups',
  summary: 'Queue a follow-up',
  description:
    'Sends a message to a live agent. It is delivered after the turn in progress, and wakes an idle agent.',
  permission: 'agent.drive',
  isMutation: true,
  body: QueueFollowUpRequest,
  response: response('QueueFollowUpResponse', { followUpId: Text('The message’s id.') }),
  reasons: [
    'AGENT_NOT_FOUND',
    'AGENT_NOT_RUNNING',
    'RESOURCE_NOT_FOUND',
    'MODEL_SETTINGS_INVALID',
    'BUILD_LACKS_DEFERRAL',
    'QUOTA_EXCEEDED',
  ],
  example: {
    request: { agentId: agentIdInput, description: 'Also cover refunds.' },
    response: { followUpId },
  },
})

export const listFollowUps = defineOperation({
  id: 'listFollowUps',
  method: 'POST',
  path: '/v1/agent/queue/list',
  tag: 'follow-ups',
  summary: 'List an agent’s undelivered follow-ups',
  description:
    'Oldest first, each with its full text. A page may have fewer entries than requested, to limit its size.',
  permission: 'agent.read',
  body: request('ListFollowUpsRequest', { agentId: AgentIdInput, ...pageQuery }),
  response: response('ListFollowUpsResponse', {
    followUps: Type.Array(FollowUp, { description: 'The messages.' }),
    nextPageToken,
  }),
  reasons: ['AGENT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    request: { agentId: agentIdInput, pageSize: 10 },
    response: { followUps: status.followUps, nextPageToken: '' },
  },
})

export const removeFollowUp = defineOperation({
  id: 'removeFollowUp',
  method: 'POST',
  path: '/v1/agent/queue/remove',
  tag: 'follow-ups',
  summary: 'Remove a follow-up',
  description: 'Removes one undelivered message, deferred or queued. Repeating it is harmless.',
  permission: 'agent.drive',
  isMutation: true,
  body: request('RemoveFollowUpRequest', {
    agentId: AgentIdInput,
    followUpId: Text('The message.', { minLength: 1, maxLength: 128 }),
  }),
  response: response('RemoveFollowUpResponse', {
    removed: Flag('Whether there was such a message to remove.'),
  }),
  reasons: ['AGENT_NOT_FOUND'],
  example: { request: { agentId: agentIdInput, followUpId }, response: { removed: true } },
})

export const clearFollowUps = defineOperation({
  id: 'clearFollowUps',
  method: 'POST',
  path: '/v1/agent/clear-follow-ups',
  tag: 'follow-ups',
  summary: 'Discard all queued follow-ups',
  description: 'Deferred messages stay until their time or until they are removed.',
  permission: 'agent.drive',
  isMutation: true,
  body: request('ClearFollowUpsRequest', { agentId: AgentIdInput }),
  response: response('ClearFollowUpsResponse', {
    cleared: Type.Integer({ description: 'How many were discarded.' }),
  }),
  reasons: ['AGENT_NOT_FOUND'],
  example: { request: { agentId: agentIdInput }, response: { cleared: 2 } },
})
