import { Type, type Static } from 'typebox'
import {
  INVITATION_CODE_PATTERN,
  INVITATION_MAIL_STATES,
  INVITATION_ROLES,
  INVITATION_STATES,
} from '../facts/invitations.ts'
import { MAIL_ADDRESS_PATTERN, MAX_MAIL_ADDRESS_LENGTH } from '../facts/mail-address.ts'
import { MAYBE_NAME_PATTERN } from '../facts/names.ts'
import { UUID_PATTERN } from '../facts/uuid.ts'
import { Identity, Tenant } from '../schemas/identity.ts'
import { Choice, Duration, Name, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { tenant } from './examples.ts'
import { whoami } from './identity.ts'
import { defineOperation } from './operation.ts'
import { nextPageToken, pageQuery } from './paging.ts'
import { pageSecret, PageSecret } from './sign-in.ts'

const InvitationRole = Choice(INVITATION_ROLES, 'The role that the person gets.')

export const InvitationEntry = response(
  'InvitationEntry',
  {
    id: Text('The invitation’s id. It is not a secret.'),
    role: InvitationRole,
    team: Text('The team that the person joins as a member; empty for none.'),
    description: Text('Who it is for, as the admin wrote it.'),
    createdBy: Text('The account of the admin.'),
    createTime: Timestamp('When it was created.'),
    expireTime: Timestamp('Until when it can be accepted.'),
    state: Choice(INVITATION_STATES, 'What became of it.'),
    account: Text('The account of the person who accepted it; empty if it was not accepted.'),
    email: Text('The address that the link is sent to; empty if it is not sent.'),
    mailState: Choice(INVITATION_MAIL_STATES, 'What became of the e-mail with the link.'),
    mailError: Text('Why the e-mail could not be sent, or not yet; otherwise empty.'),
  },
  { description: 'An invitation for one person.' },
)
export type InvitationEntry = Static<typeof InvitationEntry>

const invitationId = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
const code = 'ski_hX3bTz1kq0uC8mJYw5ePn7sVd2RfGa9LoQ4iKxN6yBE'

const invitation = {
  id: invitationId,
  role: 'member',
  team: 'payments',
  description: 'Grace, from the payments team.',
  createdBy: 'ada',
  createTime: '2026-11-15T09:30:00.000Z',
  expireTime: '2026-11-22T09:30:00.000Z',
  state: 'open',
  account: '',
  email: 'grace@example.com',
  mailState: 'waiting',
  mailError: '',
} as const

const Code = Text('From the fragment of the link.', { pattern: INVITATION_CODE_PATTERN, writeOnly: true })

export const createInvitation = defineOperation({
  id: 'createInvitation',
  method: 'POST',
  path: '/v1/invitations',
  tag: 'identity',
  summary: 'Invite a person',
  description:
    'Returns a link for one person, who chooses the name of their account and gets a token with this role. The link is shown once and works once. ' +
    'A tenant has at most 100 open invitations. With an e-mail address, the link is also sent there, if the operator has configured a mail server and allows the domain.',
  permission: 'catalog.write',
  body: request('CreateInvitationRequest', {
    role: InvitationRole,
    team: Type.Optional(
      Text('A team that the person joins as a member. Default: none.', { pattern: MAYBE_NAME_PATTERN }),
    ),
    description: Type.Optional(Text('Who it is for.', { maxLength: 200 })),
    email: Type.Optional(
      Text('Where to send the link. Default: nowhere.', {
        pattern: `${MAIL_ADDRESS_PATTERN}|^$`,
        maxLength: MAX_MAIL_ADDRESS_LENGTH,
      }),
    ),
    expiresIn: Type.Optional(
      Duration('For how long it can be accepted: at least a minute, at most 30 days.', {
        default: '604800s',
      }),
    ),
  }),
  isMutation: true,
  response: response('CreateInvitationResponse', {
    invitation: InvitationEntry,
    url: Text('The link. Empty if the answer to a repeated request is the recorded one.'),
  }),
  reasons: ['ROLE_NOT_GRANTABLE', 'INVITATION_LIMIT'],
  example: {
    request: {
      role: 'member',
      team: 'payments',
      description: 'Grace, from the payments team.',
      email: 'grace@example.com',
    },
    response: { invitation, url: 'https://skein.example.com/invitation#ski_…' },
  },
})

export const listInvitations = defineOperation({
  id: 'listInvitations',
  method: 'GET',
  path: '/v1/invitations',
  tag: 'identity',
  summary: 'List invitations',
  description:
    'Newest first, including those that were accepted, revoked or have expired. These are kept for 30 days after they expire, at most 1,000 of them.',
  permission: 'catalog.write',
  query: request(undefined, { ...pageQuery }),
  response: response('ListInvitationsResponse', {
    invitations: Type.Array(InvitationEntry),
    nextPageToken,
  }),
  reasons: ['PAGE_TOKEN_INVALID'],
  example: { response: { invitations: [invitation], nextPageToken: '' } },
})

export const revokeInvitation = defineOperation({
  id: 'revokeInvitation',
  method: 'DELETE',
  path: '/v1/invitations/{invitationId}',
  tag: 'identity',
  summary: 'Revoke an invitation',
  description: 'Its link stops working. If it was accepted, revoke the token that it created instead.',
  permission: 'catalog.write',
  params: request(undefined, {
    invitationId: Text('The id of the invitation.', { pattern: UUID_PATTERN }),
  }),
  isMutation: true,
  response: response('RevokeInvitationResponse', {}),
  reasons: ['INVITATION_NOT_FOUND'],
  example: { path: `/v1/invitations/${invitationId}`, response: {} },
})

export const readInvitation = defineOperation({
  id: 'readInvitation',
  method: 'POST',
  path: '/v1/invitation',
  tag: 'sessions',
  summary: 'Read an invitation',
  description:
    'For the page that the link opens: shows what the person is invited to. Attempts are limited per address.',
  permission: 'none',
  body: request('ReadInvitationRequest', { code: Code }),
  response: response('Invitation', {
    tenant: Tenant,
    role: InvitationRole,
    team: Text('The team that the person joins; empty for none.'),
    invitedBy: Text('The account of the admin.'),
    expireTime: Timestamp('Until when it can be accepted.'),
  }),
  reasons: ['INVITATION_NOT_FOUND'],
  example: {
    request: { code },
    response: {
      tenant,
      role: 'member',
      team: 'payments',
      invitedBy: 'ada',
      expireTime: '2026-11-22T09:30:00.000Z',
    },
  },
})

export const acceptInvitation = defineOperation({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/v1/invitation/accept',
  tag: 'sessions',
  summary: 'Accept an invitation',
  description:
    'Creates a token with the name of the account, and signs the browser in with it, as signIn does. Works once. ' +
    'The name must not be used by anything in the tenant. The key is returned once, for the command line and scripts. ' +
    'Attempts are limited per address, and a failed attempt counts more.',
  permission: 'none',
  body: request('AcceptInvitationRequest', {
    code: Code,
    account: Name('The name of the account. It cannot be changed later.'),
    pageSecret: PageSecret,
  }),
  response: response('AcceptInvitationResponse', {
    identity: Identity,
    expireTime: Timestamp('When the session expires.'),
    apiKey: Text('The person’s key, shown once.'),
  }),
  setsCookie: true,
  reasons: ['INVITATION_NOT_FOUND', 'ACCOUNT_TAKEN'],
  example: {
    request: { code, account: 'grace', pageSecret },
    response: {
      identity: { ...whoami.example.response, account: 'grace', role: 'member', token: 'grace' },
      expireTime: '2026-11-22T09:30:00.000Z',
      apiKey: 'skn_…',
    },
  },
})
