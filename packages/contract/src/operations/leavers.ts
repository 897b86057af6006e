import { Type, type Static } from 'typebox'
import { MaybeTimestamp, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { tenantQuery } from './catalog.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'

export const LeaverEntry = response(
  'LeaverEntry',
  {
    account: Text('The person’s account.'),
    directory: Text('The directory that said so.'),
    leaveTime: Timestamp('When their sessions, keys and share links ended.'),
    endTime: MaybeTimestamp('When everything else had ended.'),
    killedAgents: Type.Integer({
      description: 'How many of their agents were killed, with children.',
    }),
    paused: Type.Array(response('PausedResource', { kind: Text('The kind.'), name: Text('The name.') }), {
      description:
        'Integrations, schedules and triggers that they last changed. They are paused until someone else resumes them.',
    }),
    minted: Type.Array(response('MintedResource', { kind: Text('The kind.'), name: Text('The name.') }), {
      description:
        'Tokens of other accounts and directories that they wrote, at most 200. They go on working, and the leaver may know their keys: rotate or delete them.',
    }),
    problem: Text('What keeps it from ending. Empty if nothing does.'),
  },
  { description: 'A person who left, and what ended as a result.' },
)
export type LeaverEntry = Static<typeof LeaverEntry>

export const listLeavers = defineOperation({
  id: 'listLeavers',
  method: 'GET',
  path: '/v1/leavers',
  tag: 'identity',
  summary: 'List people who left',
  description:
    'People whom a directory deactivated or deleted, newest first, with their automations that were paused. Kept as long as the audit log.',
  permission: 'audit.read',
  query: request(undefined, { ...tenantQuery, ...pageQuery }),
  response: response('ListLeaversResponse', { leavers: Type.Array(LeaverEntry), nextPageToken }),
  reasons: ['TENANT_NOT_FOUND', 'PAGE_TOKEN_INVALID'],
  example: {
    path: '/v1/leavers',
    response: {
      leavers: [
        {
          account: 'ada@acme.example.com',
          directory: 'okta',
          leaveTime: '2026-11-15T09:30:00.000Z',
          endTime: '2026-11-15T09:30:16.000Z',
          killedAgents: 2,
          paused: [{ kind: 'schedule', name: 'nightly' }],
          minted: [{ kind: 'token', name: 'deploy-bot' }],
          problem: '',
        },
      ],
      nextPageToken: '',
    },
  },
})
