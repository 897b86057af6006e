import { Type, type Static } from 'typebox'
import { UUID_PATTERN } from '../facts/uuid.ts'
import { Tenant } from '../schemas/identity.ts'
import { Choice, Int64, MaybeTimestamp, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { justification } from './catalog.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const TenantEntry = response(
  'TenantEntry',
  {
    id: Text(
      'The tenant’s id. A tenant that is created after another of its name was deleted has another one.',
    ),
    tenant: Tenant,
    state: Choice(
      ['TENANT_STATE_UNSPECIFIED', 'TENANT_STATE_ACTIVE', 'TENANT_STATE_SUSPENDED', 'TENANT_STATE_DELETING'],
      'Whether it is suspended or being deleted.',
    ),
    createTime: Timestamp('When it was created.'),
    suspendTime: MaybeTimestamp('When it was suspended; empty if it is not.'),
    deleteTime: MaybeTimestamp('When its deletion began; empty if it is not being deleted.'),
  },
  { description: 'A tenant, as operators see it.' },
)
export type TenantEntry = Static<typeof TenantEntry>

const HeldByRunners = response(
  'HeldByRunners',
  {
    pool: Text('The pool.'),
    agents: Type.Integer({ description: 'The number of agents whose data its runners hold.' }),
    failed: Type.Integer({
      description:
        'Of these, how many the runners failed to remove ten times. Requesting the deletion again makes them retry.',
    }),
  },
  { description: 'What runners have to remove before a tenant is deleted.' },
)

const tenantParams = request(undefined, {
  tenantId: Text('The tenant’s id, from listTenants.', { pattern: UUID_PATTERN }),
})

const id = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
const entry = {
  id,
  tenant: { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' },
  state: 'TENANT_STATE_ACTIVE',
  createTime: '2026-11-15T09:30:00.000Z',
  suspendTime: '',
  deleteTime: '',
}
const suspended = { ...entry, state: 'TENANT_STATE_SUSPENDED', suspendTime: '2026-11-15T10:00:00.000Z' }
const deleting = { ...entry, state: 'TENANT_STATE_DELETING', deleteTime: '2026-11-15T10:00:00.000Z' }

export const createTenant = defineOperation({
  id: 'createTenant',
  method: 'POST',
  path: '/v1/tenants',
  tag: 'tenants',
  summary: 'Create a tenant',
  description:
    'For operators. If a tenant of that name exists, returns it. Then write a token into its catalog to create its first key.',
  permission: 'tenant.manage',
  isMutation: true,
  body: request('CreateTenantRequest', { tenant: Tenant, justification }),
  response: TenantEntry,
  reasons: ['TENANT_CLOSING'],
  example: {
    request: { tenant: entry.tenant, justification: 'a new customer' },
    response: entry,
  },
})

export const listTenants = defineOperation({
  id: 'listTenants',
  method: 'GET',
  path: '/v1/tenants',
  tag: 'tenants',
  summary: 'List the tenants',
  description: 'For operators. In the order in which they were created.',
  permission: 'tenant.manage',
  query: request(undefined, {
    ...pageQuery,
    org: Type.Optional(Text('Only tenants of this name.', { maxLength: 255 })),
  }),
  response: response('ListTenantsResponse', { tenants: Type.Array(TenantEntry), nextPageToken }),
  reasons: ['PAGE_TOKEN_INVALID'],
  example: { path: '/v1/tenants?org=acme', response: { tenants: [entry], nextPageToken: '' } },
})

export const readTenant = defineOperation({
  id: 'readTenant',
  method: 'GET',
  path: '/v1/tenants/{tenantId}',
  tag: 'tenants',
  summary: 'Read a tenant',
  description: 'For operators. While it is being deleted, also shows what the deletion is waiting for.',
  permission: 'tenant.manage',
  params: tenantParams,
  response: response('ReadTenantResponse', {
    tenant: TenantEntry,
    held: Type.Array(HeldByRunners, {
      description: 'What runners still hold for a tenant that is being deleted, by pool.',
    }),
  }),
  reasons: ['TENANT_NOT_FOUND'],
  example: {
    path: `/v1/tenants/${id}`,
    response: { tenant: deleting, held: [{ pool: 'default', agents: 3, failed: 0 }] },
  },
})

export const suspendTenant = defineOperation({
  id: 'suspendTenant',
  method: 'POST',
  path: '/v1/tenants/{tenantId}/suspend',
  tag: 'tenants',
  summary: 'Suspend a tenant',
  description:
    'For operators. Within 5 seconds every server refuses its keys, sessions, links, runs and runners. Its runs are held and its automations pause until it is resumed. Nothing is lost.',
  permission: 'tenant.manage',
  isMutation: true,
  params: tenantParams,
  body: request('SuspendTenantRequest', { justification }),
  response: TenantEntry,
  reasons: ['TENANT_NOT_FOUND', 'TENANT_OWN', 'TENANT_CLOSING'],
  example: {
    path: `/v1/tenants/${id}/suspend`,
    request: { justification: 'the contract ended' },
    response: suspended,
  },
})

export const resumeTenant = defineOperation({
  id: 'resumeTenant',
  method: 'POST',
  path: '/v1/tenants/{tenantId}/resume',
  tag: 'tenants',
  summary: 'Resume a tenant',
  description: 'For operators. Everything continues where it was when the tenant was suspended.',
  permission: 'tenant.manage',
  isMutation: true,
  params: tenantParams,
  body: request('ResumeTenantRequest', { justification }),
  response: TenantEntry,
  reasons: ['TENANT_NOT_FOUND', 'TENANT_CLOSING'],
  example: {
    path: `/v1/tenants/${id}/resume`,
    request: { justification: 'the contract was renewed' },
    response: entry,
  },
})

export const deleteTenant = defineOperation({
  id: 'deleteTenant',
  method: 'DELETE',
  path: '/v1/tenants/{tenantId}',
  tag: 'tenants',
  summary: 'Delete a tenant',
  description:
    'For operators. Its keys stop working, its agents are killed, runners remove what they hold, and then all its data is deleted. This continues after the response and cannot be undone: readTenant shows the progress, and returns TENANT_NOT_FOUND once it is done.',
  permission: 'tenant.manage',
  isMutation: true,
  params: tenantParams,
  query: request(undefined, {
    confirm: Text('The tenant’s organization.', { maxLength: 255 }),
    abandon: Type.Optional(
      Choice(['true', 'false'], 'true: don’t wait for runners, and leave what they hold where it is.'),
    ),
    justification,
  }),
  response: TenantEntry,
  reasons: ['TENANT_NOT_FOUND', 'TENANT_OWN'],
  example: {
    path: `/v1/tenants/${id}?confirm=acme&justification=asked%20by%20Ada`,
    response: deleting,
  },
})

export const TenantExportLine = response(
  'TenantExportLine',
  {
    type: Choice(
      ['EXPORT_LINE_UNSPECIFIED', 'EXPORT_STARTED', 'EXPORT_ROW', 'EXPORT_FINISHED'],
      'The first, a row, or the last. Without the last one, the export is not complete.',
    ),
    format: Text('Of the first: skein-tenant-1.'),
    tenant: Type.Optional(Tenant),
    exportTime: MaybeTimestamp('Of the first: the point in time that all rows are from.'),
    table: Text('Of a row: its table.'),
    row: Type.Object({}, { additionalProperties: true, description: 'Of a row: its columns.' }),
    rows: Int64('Of the last: how many rows there were.'),
  },
  { description: 'One line of a tenant’s export.' },
)
export type TenantExportLine = Static<typeof TenantExportLine>

export const exportTenant = defineOperation({
  id: 'exportTenant',
  method: 'GET',
  path: '/v1/tenants/{tenantId}/export',
  tag: 'tenants',
  summary: 'Export a tenant',
  description:
    'For operators, who must give a justification. Everything the database holds about the tenant, from one point in time, without credentials. A server runs one export at a time, and ends it if nothing is read for 20 seconds.',
  permission: 'tenant.manage',
  params: tenantParams,
  response: TenantExportLine,
  headers: ['X-Skein-Justification'],
  streams: true,
  reasons: [
    'TENANT_NOT_FOUND',
    'TENANT_CLOSING',
    'JUSTIFICATION_REQUIRED',
    'EXPORT_IN_PROGRESS',
    'TIMELINE_UNAVAILABLE',
    'TIMELINE_DAMAGED',
  ],
  example: {
    path: `/v1/tenants/${id}/export`,
    response: {
      type: 'EXPORT_ROW',
      format: '',
      exportTime: '',
      table: 'resource',
      row: { kind: 'persona', name: 'reviewer' },
      rows: '0',
    },
  },
})
