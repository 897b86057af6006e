import { Type, type Static } from 'typebox'
import { Provider, Role } from '../schemas/identity.ts'
import { Int64, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { tenantQuery } from './catalog.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const AuditEntry = response(
  'AuditEntry',
  {
    id: Text('The entry’s own id; sorts by time.'),
    time: Timestamp('When it was committed.'),
    operation: Text('The operation that changed something.'),
    kind: Text('The kind of the resource.'),
    name: Text('Its name.'),
    generation: Int64('The version that the change produced.'),
    ownerProvider: Provider,
    account: Text('Who did it.'),
    role: Role,
    token: Text('With which token.'),
    justification: Text('Why, if they said.'),
    requestId: Text('Finds the request in the logs and traces.'),
  },
  { description: 'One change, as it was committed.' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const listAudit = defineOperation({
  id: 'listAudit',
  method: 'GET',
  path: '/v1/audit',
  tag: 'audit',
  summary: 'Read the audit log',
  description: 'Newest first. Every entry was committed together with the change that it records.',
  permission: 'audit.read',
  query: request(undefined, {
    ...tenantQuery,
    ...pageQuery,
    kind: Type.Optional(Text('Only changes of this kind.', { maxLength: 63 })),
    name: Type.Optional(Text('Only changes of resources of this name.', { maxLength: 63 })),
    account: Type.Optional(Text('Only changes by this account.', { maxLength: 255 })),
    startTime: Type.Optional(Timestamp('Only changes at or after this time.')),
    endTime: Type.Optional(Timestamp('Only changes before this time.')),
  }),
  response: response('ListAuditResponse', { entries: Type.Array(AuditEntry), nextPageToken }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/audit?kind=persona',
    response: {
      entries: [
        {
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
        },
      ],
      nextPageToken: '',
    },
  },
})
