import { Type, type Static } from 'typebox'
import { UUID_PATTERN } from '../../facts/uuid.ts'
import { TenantInPath, TenantInput } from '../../schemas/identity.ts'
import {
  Base64,
  Choice,
  Flag,
  MaybeTimestamp,
  Name,
  request,
  response,
  SizedText,
  Text,
  Timestamp,
} from '../../schemas/primitives.ts'
import { justification, tenantQuery } from '../catalog.ts'
import { defineOperation, MIB } from '../operation.ts'
import { nextPageToken, pageQuery } from '../paging.ts'
import { DeliveryHour, readsLog } from './delivery-log.ts'

const deliveryId = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'

export const receiveDelivery = defineOperation({
  id: 'receiveDelivery',
  method: 'POST',
  path: '/v1/trigger/{tenant}/{name}',
  tag: 'automations',
  summary: 'Send a request to a trigger',
  description:
    'For other systems. Needs no API key: the trigger’s document says how a sender proves who it is. The body is JSON of up to 1 MiB. ' +
    'It is recorded and applied a moment later; copies of a request are one delivery and get the same response.',
  permission: 'none',
  params: request(undefined, {
    tenant: TenantInPath,
    name: Text('The trigger.', { maxLength: 63 }),
  }),
  acceptsAnyBody: true,
  successStatus: 202,
  response: response('ReceiveDeliveryResponse', {
    deliveryId: Text('Identifies the delivery in the trigger’s log.'),
  }),
  reasons: ['TRIGGER_REFUSED', 'BODY_TOO_LARGE'],
  example: { path: '/v1/trigger/codehost_app:acme/tickets', response: { deliveryId } },
})

const TriggerOutcome = Choice(
  ['PENDING', 'IGNORED', 'SPAWNED', 'SENT', 'REFUSED', 'FAILED'],
  'What became of a delivery: not applied yet; the condition is false or the trigger paused; an agent was started; a message was sent; it cannot be applied; applying it failed for an hour.',
  { $id: 'TriggerOutcome' },
)

const entry = {
  id: Text('Identifies the delivery.'),
  time: Timestamp('When it was received.'),
  outcome: TriggerOutcome,
  reason: Text('Why nothing happened, or why it is retried; otherwise empty.'),
  agent: Text('The agent that was started or got the message; empty if there is none.'),
  workspace: Text('Its workspace; empty if it has none.'),
  account: Text('The service profile that owns it; empty if it has none.'),
  endTime: MaybeTimestamp('When it was applied.'),
  redeliveryOf: Text('The delivery that this one repeats; empty if it repeats none.'),
  isKept: Flag('Whether its body is kept, so that it can be redelivered.'),
}

export const TriggerDelivery = response('TriggerDelivery', entry, {
  description: 'A request to a trigger, with its outcome.',
})
export type TriggerDelivery = Static<typeof TriggerDelivery>

const deliveryExample = {
  id: deliveryId,
  time: '2026-11-15T09:30:00.000Z',
  outcome: 'SPAWNED',
  reason: '',
  agent: 'ticket-42',
  workspace: 'shop',
  account: 'night-shift',
  endTime: '2026-11-15T09:30:00.120Z',
  redeliveryOf: '',
  isKept: true,
}

export const TriggerEntry = response(
  'TriggerEntry',
  {
    name: Text('The name of the resource.'),
    description: Text('For people.'),
    sender: Text('How a sender proves who it is, such as github.'),
    workspace: Text('The workspace of the agents.'),
    profile: Text('The service profile that owns the agents.'),
    paused: Flag('Whether requests are only recorded.'),
    pending: Type.Integer({ description: 'How many requests are still to be applied.' }),
    last: Type.Array(TriggerDelivery, {
      maxItems: 1,
      description: 'The newest request; empty if there was none in the last seven days.',
    }),
    hours: Type.Array(DeliveryHour, {
      description:
        'Requests in the last 24 hours, without hours in which there were none. Those that were refused or failed count as failures.',
    }),
  },
  { description: 'A trigger, with its state.' },
)
export type TriggerEntry = Static<typeof TriggerEntry>

export const listTriggers = defineOperation({
  id: 'listTriggers',
  method: 'GET',
  path: '/v1/triggers',
  tag: 'automations',
  summary: 'List triggers with the state of each',
  description: 'All triggers of the tenant, by name.',
  permission: 'catalog.read',
  query: request(undefined, { ...tenantQuery, ...pageQuery }),
  response: response('ListTriggersResponse', { triggers: Type.Array(TriggerEntry), nextPageToken }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/triggers',
    response: {
      triggers: [
        {
          name: 'tickets',
          description: 'One agent for each issue of the shop that is labelled “agent”.',
          sender: 'github',
          workspace: 'shop',
          profile: 'night-shift',
          paused: false,
          pending: 0,
          last: [deliveryExample],
          hours: [{ time: '2026-11-15T09:00:00.000Z', attempts: 12, failures: 0 }],
        },
      ],
      nextPageToken: '',
    },
  },
})

const triggerParams = { name: Name('The trigger.') }
const deliveryParams = {
  ...triggerParams,
  deliveryId: Text('The delivery.', { pattern: UUID_PATTERN }),
}

export const listTriggerDeliveries = defineOperation({
  ...readsLog,
  id: 'listTriggerDeliveries',
  path: '/v1/triggers/{name}/deliveries',
  summary: 'Read the log of a trigger',
  description: 'Requests of the last seven days with their outcomes, newest first.',
  params: request(undefined, triggerParams),
  response: response('ListTriggerDeliveriesResponse', {
    deliveries: Type.Array(TriggerDelivery),
    nextPageToken,
  }),
  example: {
    path: '/v1/triggers/tickets/deliveries',
    response: { deliveries: [deliveryExample], nextPageToken: '' },
  },
})

export const readTriggerDelivery = defineOperation({
  id: 'readTriggerDelivery',
  method: 'GET',
  path: '/v1/triggers/{name}/deliveries/{deliveryId}',
  tag: 'automations',
  summary: 'Read a request to a trigger',
  description: 'With its body and those of its headers that are stored.',
  permission: 'catalog.write',
  params: request(undefined, deliveryParams),
  query: request(undefined, tenantQuery),
  response: response('ReadTriggerDeliveryResponse', {
    delivery: TriggerDelivery,
    headers: Type.Record(Type.String(), Type.String(), { description: 'In lower case.' }),
    body: Base64('The body; empty if it is no longer kept.'),
  }),
  reasons: ['RESOURCE_NOT_FOUND', 'TENANT_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
  example: {
    path: `/v1/triggers/tickets/deliveries/${deliveryId}`,
    response: { delivery: deliveryExample, headers: { 'x-github-event': 'issues' }, body: 'e30=' },
  },
})

export const redeliver = defineOperation({
  id: 'redeliver',
  method: 'POST',
  path: '/v1/triggers/{name}/deliveries/{deliveryId}/redeliver',
  tag: 'automations',
  summary: 'Apply a request to a trigger again',
  description: 'As a new delivery, with the trigger’s document as it is now.',
  permission: 'catalog.write',
  isMutation: true,
  params: request(undefined, deliveryParams),
  body: request('RedeliverRequest', {
    tenant: Type.Optional(TenantInput),
    justification,
  }),
  response: response('RedeliverResponse', { deliveryId: Text('The new delivery.') }),
  reasons: ['RESOURCE_NOT_FOUND', 'TENANT_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'DELIVERY_NOT_KEPT'],
  example: {
    path: `/v1/triggers/tickets/deliveries/${deliveryId}/redeliver`,
    request: {},
    response: { deliveryId: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f11' },
  },
})

export const testTrigger = defineOperation({
  id: 'testTrigger',
  method: 'POST',
  path: '/v1/trigger-test',
  tag: 'automations',
  summary: 'See what a trigger would do',
  description:
    'Evaluates a trigger document, which need not be stored yet, with a sample request. Nothing is recorded or started.',
  permission: 'catalog.write',
  body: request('TestTriggerRequest', {
    tenant: Type.Optional(TenantInput),
    name: Type.Optional(Name('The trigger’s name. Default: test.')),
    payload: Base64('The document, base64-encoded JSON, as in a catalog write.'),
    body: SizedText('The body of the sample request.', { maxBytes: MIB }),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z0-9_-]{1,64}$' }), Type.String({ maxLength: 1024 }), {
        additionalProperties: false,
        maxProperties: 32,
        description: 'Its headers, in lower case, without those that the trigger would not store.',
      }),
    ),
  }),
  bodyLimitBytes: 4 * MIB,
  response: response('TestTriggerResponse', {
    outcome: Choice(
      ['IGNORED', 'REFUSED', 'SPAWNED', 'SENT'],
      'What would happen. SENT: with spawn, the agent is started instead if it is not alive.',
    ),
    reason: Text('Why nothing would happen; empty if something would.'),
    agent: Text('The name of the agent; empty if there is none.'),
    description: Text('The task of the agent that would be started; empty if none would.'),
    message: Text('The message; empty if none would be sent.'),
    labels: Type.Record(Type.String(), Type.String(), { description: 'Labels of an agent that is started.' }),
  }),
  reasons: ['DOCUMENT_INVALID', 'TENANT_NOT_FOUND'],
  example: {
    path: '/v1/trigger-test',
    request: { name: 'tickets', payload: 'e30=', body: '{"action":"opened"}', headers: {} },
    response: {
      outcome: 'IGNORED',
      reason: 'The condition is false.',
      agent: '',
      description: '',
      message: '',
      labels: {},
    },
  },
})
