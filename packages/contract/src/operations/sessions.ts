import { Type, type Static } from 'typebox'
import { UUID_PATTERN } from '../facts/uuid.ts'
import { SESSION_KINDS } from '../facts/sessions.ts'
import { AgentId, Identity } from '../schemas/identity.ts'
import { Choice, Flag, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { agentId } from './examples.ts'
import { whoami } from './identity.ts'
import { defineOperation } from './operation.ts'

export const signIn = defineOperation({
  id: 'signIn',
  method: 'POST',
  path: '/v1/session',
  tag: 'sessions',
  summary: 'Sign in with a browser',
  description:
    'Exchanges an API key for a session. The response sets a cookie that scripts cannot read; ' +
    'with it the browser may do what the key may, for as long as the key is valid and at most 7 days. ' +
    'The cookie is valid only in requests with the page’s own secret in the header X-Skein-Page-Secret: ' +
    'browsers send cookies to every port of a host, and a program on another port must not be able to use it. ' +
    'An account has at most 50 sessions: the next one ends the oldest. Attempts are limited per address and per key, ' +
    'and a failed attempt counts more.',
  permission: 'none',
  body: request('SignInRequest', {
    apiKey: Text(
      'The API key of a person, or the code of a sign-in link. Keys of runners, runs and share links cannot sign in.',
      {
        minLength: 1,
        maxLength: 512,
        writeOnly: true,
      },
    ),
    pageSecret: Text('Random, generated and kept by the page. Only its digest is stored.', {
      pattern: '^[A-Za-z0-9_-]{43,128}$',
      writeOnly: true,
    }),
  }),
  response: response('SignInResponse', {
    identity: Identity,
    expireTime: Timestamp('When the session expires.'),
  }),
  setsCookie: true,
  reasons: [],
  example: {
    request: { apiKey: 'skn_…', pageSecret: 'hX3bTz1kq0uC8mJYw5ePn7sVd2RfGa9LoQ4iKxN6yBE' },
    response: { identity: whoami.example.response, expireTime: '2026-11-22T09:30:00.000Z' },
  },
})

export const createSignInLink = defineOperation({
  id: 'createSignInLink',
  method: 'POST',
  path: '/v1/session/links',
  tag: 'sessions',
  summary: 'Create a link that signs a browser in',
  description:
    'The URL of the dashboard’s sign-in page with a code in its fragment. Opened within 5 minutes, it signs one ' +
    'browser in as the caller, once, for as long as the caller’s key is valid and at most 7 days. ' +
    'Requires an API key: a session cannot create another one. A key has at most 10 such links; the next one revokes the oldest.',
  permission: 'session.open',
  body: request('CreateSignInLinkRequest', {}),
  response: response('SignInLink', {
    url: Text('The first browser to open it is signed in as the caller.'),
    expireTime: Timestamp('When it expires if it is not used.'),
  }),
  reasons: [],
  example: {
    request: {},
    response: {
      url: 'https://skein.example.com/sign-in#skc_…',
      expireTime: '2026-11-15T09:35:00.000Z',
    },
  },
})

export const signOut = defineOperation({
  id: 'signOut',
  method: 'DELETE',
  path: '/v1/session',
  tag: 'sessions',
  summary: 'Sign out',
  description: 'Ends the session of the cookie, or of the command line, which stops working on every server.',
  permission: 'session.open',
  query: request(undefined, {
    everywhere: Type.Optional(
      Flag('Ends every session of the same token or person, in all browsers and command lines.'),
    ),
  }),
  response: response('SignOutResponse', {}),
  setsCookie: true,
  reasons: [],
  example: { response: {} },
})

export const SessionEntry = response(
  'SessionEntry',
  {
    id: Text('The session’s id. It is not a secret.'),
    kind: Choice([...SESSION_KINDS], 'Whether a browser is signed in, or a command line.'),
    token: Text('The token used to sign in, or `identity-provider/` and the name of the identity provider.'),
    userAgent: Text('The browser’s user agent, or what the machine of a command line calls itself.'),
    createTime: Timestamp('When it was opened.'),
    expireTime: Timestamp('When it expires.'),
    isCurrent: Flag('Whether this request used it.'),
  },
  { description: 'A browser or a command line that is signed in.' },
)
export type SessionEntry = Static<typeof SessionEntry>

const sessionId = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'

export const listSessions = defineOperation({
  id: 'listSessions',
  method: 'GET',
  path: '/v1/sessions',
  tag: 'sessions',
  summary: 'List signed-in browsers and command lines',
  description: 'Sessions of the caller’s own account, whatever token they were opened with; newest first.',
  permission: 'session.open',
  response: response('ListSessionsResponse', { sessions: Type.Array(SessionEntry) }),
  reasons: [],
  example: {
    response: {
      sessions: [
        {
          id: sessionId,
          kind: 'browser',
          token: 'ada-laptop',
          userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
          createTime: '2026-11-15T09:30:00.000Z',
          expireTime: '2026-11-22T09:30:00.000Z',
          isCurrent: false,
        },
      ],
    },
  },
})

export const endSession = defineOperation({
  id: 'endSession',
  method: 'DELETE',
  path: '/v1/sessions/{sessionId}',
  tag: 'sessions',
  summary: 'Sign one browser or command line out',
  description: 'Ends a session of the caller’s own account, immediately and on every server.',
  permission: 'session.open',
  params: request(undefined, {
    sessionId: Text('The id of the session.', { pattern: UUID_PATTERN }),
  }),
  isMutation: true,
  response: response('EndSessionResponse', {}),
  reasons: ['SESSION_NOT_FOUND'],
  example: { path: `/v1/sessions/${sessionId}`, response: {} },
})

export const readShare = defineOperation({
  id: 'readShare',
  method: 'GET',
  path: '/v1/share',
  tag: 'sessions',
  summary: 'Read what a share link shows',
  description:
    'For the holder of a share link’s key: the one agent it may view, with the operations ' +
    'that show a single agent.',
  permission: 'share.read',
  response: response('Share', {
    agentId: AgentId,
    description: Text('What the link is for, as described by its creator.'),
    expireTime: Type.Union([Timestamp('When the link stops working.'), Type.Literal('')], {
      description: 'When the link stops working; empty for a link that does not expire.',
    }),
  }),
  reasons: [],
  example: { response: { agentId, description: 'For the customer.', expireTime: '' } },
})
