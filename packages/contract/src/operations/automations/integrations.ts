import { Type, type Static } from 'typebox'
import { UUID_PATTERN } from '../../facts/uuid.ts'
import { AgentId, AgentIdInput, TenantInput } from '../../schemas/identity.ts'
import {
  Choice,
  Flag,
  inline,
  Int64,
  MaybeTimestamp,
  Name,
  request,
  response,
  Text,
  Timestamp,
} from '../../schemas/primitives.ts'
import { justification, tenantQuery } from '../catalog.ts'
import { defineOperation } from '../operation.ts'
import { nextPageToken } from '../paging.ts'
import { DeliveryHour, logQuery, readsLog } from './delivery-log.ts'

const integrationParams = { name: Name('The integration.') }

export const IntegrationState = Choice(
  ['ACTIVE', 'FAILING', 'PAUSED', 'DISABLED'],
  'Whether events are sent: yes; yes, but the last requests failed; no, because the document says so; no, because the receiver was gone or failed for five days. Writing the integration enables it again.',
  { $id: 'IntegrationState' },
)
export type IntegrationState = Static<typeof IntegrationState>

export const IntegrationEntry = response(
  'IntegrationEntry',
  {
    name: Text('The name of the resource.'),
    type: Text('What it is: `webhook`, a chat, or `email`.'),
    url: Text('Where events are sent; empty if only a secret knows.'),
    to: Type.Array(Type.String(), { description: 'Who gets e-mail.' }),
    state: IntegrationState,
    disabledBecause: Text('Why the service disabled it; empty if it did not.'),
    failures: Type.Integer({ description: 'Failed requests in a row.' }),
    failingSince: MaybeTimestamp('When the first of them failed.'),
    deliveredTime: MaybeTimestamp('When an event was last delivered.'),
    nextAttemptTime: MaybeTimestamp(
      'When something is sent next; empty if nothing is waiting, or while it is sent.',
    ),
    waitingAgents: Type.Integer({ description: 'How many agents have events that are still to be sent.' }),
    waitingSince: MaybeTimestamp('Since when the oldest of them has been waiting.'),
    hours: Type.Array(DeliveryHour, {
      description: 'Requests in the last 24 hours, without hours in which there were none.',
    }),
  },
  { description: 'An integration, with its state.' },
)
export type IntegrationEntry = Static<typeof IntegrationEntry>

export const listIntegrations = defineOperation({
  id: 'listIntegrations',
  method: 'GET',
  path: '/v1/integrations',
  tag: 'automations',
  summary: 'List integrations with the state of each',
  description: 'All integrations of the tenant, by name.',
  permission: 'catalog.read',
  query: request(undefined, tenantQuery),
  response: response('ListIntegrationsResponse', { integrations: Type.Array(IntegrationEntry) }),
  reasons: ['TENANT_NOT_FOUND'],
  example: {
    path: '/v1/integrations',
    response: {
      integrations: [
        {
          name: 'chat',
          type: 'webhook',
          url: 'https://hooks.example.com/skein',
          to: [],
          state: 'ACTIVE',
          disabledBecause: '',
          failures: 0,
          failingSince: '',
          deliveredTime: '2026-11-15T09:30:00.000Z',
          nextAttemptTime: '',
          waitingAgents: 0,
          waitingSince: '',
          hours: [{ time: '2026-11-15T09:00:00.000Z', attempts: 12, failures: 0 }],
        },
      ],
    },
  },
})

const delivery = {
  id: Text('Identifies the request.'),
  time: Timestamp('When it was sent.'),
  agentId: Type.Optional(
    inline(AgentId, {
      description: 'The agent; absent for a test, for an event about no agent, and if it was deleted.',
    }),
  ),
  sequence: Int64('The event’s number on the agent’s timeline; 0 for a test.'),
  type: Text('The event’s type.'),
  webhookId: Text('The same for every request with this event.'),
  messageId: Text('The same for all events in one message; empty for a webhook.'),
  attempt: Type.Integer({ description: 'Which attempt this was.' }),
  status: Type.Integer({ description: 'The status of the response; 0 if there was none.' }),
  error: Text('Why it failed; empty if it was delivered.'),
  latencyMs: Type.Integer({ description: 'How long it took, in milliseconds.' }),
  response: Text('The beginning of the response, up to 2 KiB.'),
}

export const Delivery = response('Delivery', delivery, { description: 'One request to a receiver.' })
export type Delivery = Static<typeof Delivery>

const agentId = {
  tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ada',
  workspace: 'shop',
  agent: ['fix-checkout'],
}

const deliveryExample = {
  id: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
  time: '2026-11-15T09:30:00.000Z',
  agentId,
  sequence: '7',
  type: 'run.ended',
  webhookId: 'msg_0199d2f46f0e7c3a9d552f6f6b1f5f10_7',
  messageId: '',
  attempt: 1,
  status: 200,
  error: '',
  latencyMs: 84,
  response: 'ok',
}

export const listDeliveries = defineOperation({
  ...readsLog,
  id: 'listDeliveries',
  path: '/v1/integration/{name}/deliveries',
  summary: 'Read the log of an integration',
  description: 'Requests of the last seven days, newest first, with the beginning of each response.',
  params: request(undefined, integrationParams),
  query: request(undefined, {
    ...logQuery,
    failed: Type.Optional(Choice(['true', 'false'], 'Whether to list only requests that failed.')),
  }),
  response: response('ListDeliveriesResponse', { deliveries: Type.Array(Delivery), nextPageToken }),
  example: {
    path: '/v1/integration/chat/deliveries?failed=true',
    response: { deliveries: [deliveryExample], nextPageToken: '' },
  },
})

export const readDelivery = defineOperation({
  id: 'readDelivery',
  method: 'GET',
  path: '/v1/integration/{name}/deliveries/{deliveryId}',
  tag: 'automations',
  summary: 'Read a request to a receiver',
  description:
    'One entry of the log with the request that was sent. The body is regenerated from the event; header values that come from secrets are not shown. Messages for people are not stored, so they have neither headers nor body.',
  permission: 'catalog.write',
  params: request(undefined, {
    ...integrationParams,
    deliveryId: Text('The delivery.', { pattern: UUID_PATTERN }),
  }),
  query: request(undefined, { ...tenantQuery, time: Timestamp('When it was sent, as in the log.') }),
  response: response('ReadDeliveryResponse', {
    delivery: Delivery,
    url: Text('Where the integration sends events now; empty if only a secret knows.'),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'In lower case, without the signature. The value is empty for a header from a secret.',
    }),
    body: Text('The body; empty for a message for people, and if the agent was deleted.'),
  }),
  reasons: [
    'RESOURCE_NOT_FOUND',
    'TENANT_NOT_FOUND',
    'DELIVERY_NOT_FOUND',
    'TIMELINE_UNAVAILABLE',
    'TIMELINE_DAMAGED',
  ],
  example: {
    path: `/v1/integration/chat/deliveries/${deliveryExample.id}?time=2026-11-15T09:30:00.000Z`,
    response: {
      delivery: deliveryExample,
      url: 'https://hooks.example.com/skein',
      headers: {
        'content-type': 'application/json',
        'webhook-id': deliveryExample.webhookId,
        'webhook-timestamp': '1794735000',
      },
      body: '{"type":"run.ended"}',
    },
  },
})

export const DeadLetter = response(
  'DeadLetter',
  {
    id: Text('Identifies it for a replay.'),
    time: Timestamp('When it became a dead letter.'),
    agentId: Type.Optional(
      inline(AgentId, { description: 'The agent; absent if it was deleted, and for events about no agent.' }),
    ),
    firstSequence: Int64('The first event that was not sent.'),
    lastSequence: Int64('The last one.'),
    error: Text('Why.'),
  },
  { description: 'Events of one agent that could not be delivered. Kept for 30 days.' },
)
export type DeadLetter = Static<typeof DeadLetter>

export const listDeadLetters = defineOperation({
  ...readsLog,
  id: 'listDeadLetters',
  path: '/v1/integration/{name}/dead-letters',
  summary: 'List dead letters',
  description: 'Newest first. Replay them once the receiver works again.',
  params: request(undefined, integrationParams),
  response: response('ListDeadLettersResponse', { deadLetters: Type.Array(DeadLetter), nextPageToken }),
  example: {
    path: '/v1/integration/chat/dead-letters',
    response: {
      deadLetters: [
        {
          id: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f11',
          time: '2026-11-15T09:30:00.000Z',
          agentId,
          firstSequence: '7',
          lastSequence: '9',
          error: 'The receiver answered with status 500.',
        },
      ],
      nextPageToken: '',
    },
  },
})

export const replayDeliveries = defineOperation({
  id: 'replayDeliveries',
  method: 'POST',
  path: '/v1/integration/{name}/replay',
  tag: 'automations',
  summary: 'Send events again',
  description:
    'Sends events again with the same webhook-id, so that a receiver can recognise those it already has: events of one agent, everything since a time (at most seven days ago), or all dead letters. Only events that match the integration’s filter are sent, in order for each agent, alongside new ones.',
  permission: 'catalog.write',
  isMutation: true,
  params: request(undefined, integrationParams),
  body: request('ReplayDeliveriesRequest', {
    tenant: Type.Optional(TenantInput),
    agentId: Type.Optional(AgentIdInput),
    firstSequence: Type.Optional(
      Int64(
        'With agentId: the first event. Default: 1. Old events that were moved out of the database cannot be sent again.',
        { minimum: 0 },
      ),
    ),
    lastSequence: Type.Optional(Int64('With agentId: the last event. Default: the newest.', { minimum: 0 })),
    sinceTime: Type.Optional(Timestamp('Everything since then.')),
    deadLetters: Type.Optional(Flag('All dead letters.')),
    justification,
  }),
  response: response('ReplayDeliveriesResponse', {
    replayId: Text('Identifies the replay.'),
    agents: Type.Integer({ description: 'The number of agents whose events are sent.' }),
  }),
  reasons: ['RESOURCE_NOT_FOUND', 'AGENT_NOT_FOUND', 'TENANT_NOT_FOUND'],
  example: {
    path: '/v1/integration/chat/replay',
    request: { sinceTime: '2026-11-15T08:00:00Z' },
    response: { replayId: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f12', agents: 3 },
  },
})

export const testIntegration = defineOperation({
  id: 'testIntegration',
  method: 'POST',
  path: '/v1/integration/{name}/test',
  tag: 'automations',
  summary: 'Send a test event',
  description:
    'Sends an event of the type `test` and waits for the response, at most 20 seconds. Works for a paused or disabled integration too.',
  permission: 'catalog.write',
  params: request(undefined, integrationParams),
  body: request('TestIntegrationRequest', { tenant: Type.Optional(TenantInput) }),
  response: response('TestIntegrationResponse', {
    isDelivered: Flag('Whether the receiver accepted it.'),
    status: delivery.status,
    error: delivery.error,
    latencyMs: delivery.latencyMs,
    response: delivery.response,
  }),
  reasons: ['RESOURCE_NOT_FOUND', 'TENANT_NOT_FOUND', 'AUTOMATIONS_UNAVAILABLE'],
  example: {
    path: '/v1/integration/chat/test',
    request: {},
    response: { isDelivered: true, status: 200, error: '', latencyMs: 84, response: 'ok' },
  },
})
