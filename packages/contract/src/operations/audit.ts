import { Type, type Static } from 'typebox'
import { MAX_NAME_LENGTH } from '../facts/names.ts'
import { Provider, Role } from '../schemas/identity.ts'
import { Flag, Int64, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { tenantQuery } from './catalog.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const AuditEntry = response(
  'AuditEntry',
  {
    id: Text('The entry’s id; ids sort by time.'),
    time: Timestamp('When it was committed.'),
    operation: Text(
      'The operation: one that changed something, one with which an operator of another tenant read, refuseKey, refuseSignIn, refuseRenewal or refuseToken.',
    ),
    kind: Text('The kind of the resource; empty for a read of many.'),
    name: Text('Its name.'),
    generation: Int64('The version that the change produced; 0 where there is none.'),
    ownerProvider: Provider,
    account: Text('Who did it; for refuseKey, whose key it was.'),
    role: Role,
    token: Text('With which token.'),
    justification: Text('Why, if a reason was given.'),
    requestId: Text(
      'Identifies the request in logs and traces; the first one, if it happened more than once.',
    ),
    address: Text('Where the request came from; empty for actions of the service itself.'),
    detail: Text('For refuseKey: why. For refuseToken and exchangeToken: whose token it was.'),
    times: Int64(
      'How often it happened. Rejected keys and operators’ reads are recorded once, then counted.',
    ),
  },
  { description: 'One committed change, or one or more identical reads or rejections.' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditEvent = response(
  'AuditEvent',
  {
    entry: AuditEntry,
    cursor: Text('Where to continue after this entry; also the id of the event.'),
  },
  { description: 'An entry that was added to the audit log.' },
)
export type AuditEvent = Static<typeof AuditEvent>

const auditQuery = {
  operation: Type.Optional(Text('Only this operation.', { maxLength: MAX_NAME_LENGTH })),
  kind: Type.Optional(Text('Only entries about this kind.', { maxLength: MAX_NAME_LENGTH })),
  name: Type.Optional(
    Text('Only entries about this name. Agents are named workspace/path.', { maxLength: 1024 }),
  ),
  account: Type.Optional(Text('Only what this account did.', { maxLength: 255 })),
  startTime: Type.Optional(Timestamp('Only entries at or after this time.')),
  endTime: Type.Optional(Timestamp('Only entries before this time.')),
}

const entry = {
  id: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
  time: '2026-11-15T09:30:00.000Z',
  operation: 'writeResource',
  kind: 'persona',
  name: 'reviewer',
  generation: '1',
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ada',
  role: 'admin',
  token: 'ada-laptop',
  justification: '',
  requestId: '0199d2f4-6f0d-7aaa-8000-0b6a4c2f6f01',
  address: '192.0.2.7',
  detail: '',
  times: '1',
}

const watchCursor = 'WyJhdWRpdC13YXRjaCIsIjE3OTQ3MzUwMDAwMDAiLCI0MjE3IiwiIiwiMCIsIjAiXQ'

export const listAudit = defineOperation({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'audit',
  summary: 'Read the audit log',
  description: 'Newest first. Every entry of a change was committed together with the change.',
  permission: 'audit.read',
  query: request(undefined, {
    ...tenantQuery,
    ...pageQuery,
    ...auditQuery,
  }),
  response: response('ListAuditResponse', {
    entries: Type.Array(AuditEntry),
    nextPageToken,
    cursor: Text('Where a watch continues. Keep the first page’s cursor.'),
  }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/audit?kind=persona',
    response: { entries: [entry], nextPageToken: '', cursor: watchCursor },
  },
})

const cursor =
  'WyJhdWRpdC1leHBvcnQiLCIxNzk0NzM1MDAwMDAwIiwiMDE5OWQyZjQtNmYwZS03YzNhLTlkNTUtMmY2ZjZiMWY1ZjEwIl0'

export const exportAudit = defineOperation({
  id: 'exportAudit',
  method: 'GET',
  path: '/v1/audit/export',
  tag: 'audit',
  summary: 'Export the audit log',
  description:
    'Oldest first. Ask again with the cursor until hasMore is false, then keep the cursor: a later export that ' +
    'starts there misses and repeats nothing. Entries of the last minute come with a later export, because an ' +
    'older one may not be committed yet.',
  permission: 'audit.read',
  query: request(undefined, {
    ...tenantQuery,
    pageSize: pageQuery.pageSize,
    after: Type.Optional(
      Text('The cursor of an earlier response. Default: from the oldest entry.', { maxLength: 1024 }),
    ),
    startTime: auditQuery.startTime,
  }),
  response: response('ExportAuditResponse', {
    entries: Type.Array(AuditEntry),
    cursor: Text('Where the next export starts; empty if there was nothing.'),
    hasMore: Flag('Whether more can be read now.'),
  }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/audit/export?startTime=2026-11-01T00:00:00Z',
    response: { entries: [entry], cursor, hasMore: true },
  },
})

const { endTime: _endTime, ...watchQuery } = auditQuery

export const watchAudit = defineOperation({
  id: 'watchAudit',
  method: 'GET',
  path: '/v1/audit/watch',
  tag: 'audit',
  summary: 'Watch the audit log',
  description:
    'A stream of server-sent events: each entry, once it is committed. It continues after a cursor, from the query or as ' +
    'Last-Event-ID, on any server, and then misses and repeats nothing. Without one it starts at startTime, or now. ' +
    'After 15 seconds without entries, an event named position is sent with a newer cursor as its id; it is not an entry. ' +
    'After the database was restored, a cursor from before may be rejected: start again from a time.',
  permission: 'audit.read',
  query: request(undefined, {
    ...tenantQuery,
    ...watchQuery,
    after: Type.Optional(Text('The cursor of a list, or of the last entry seen.', { maxLength: 2048 })),
  }),
  response: AuditEvent,
  streams: true,
  headers: ['Last-Event-ID'],
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: `/v1/audit/watch?kind=persona&after=${watchCursor}`,
    response: { entry, cursor: watchCursor },
  },
})
