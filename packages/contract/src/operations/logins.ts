import { Type } from 'typebox'
import { UUID_PATTERN } from '../facts/uuid.ts'
import { Identity } from '../schemas/identity.ts'
import { Choice, Flag, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { whoami } from './identity.ts'
import { defineOperation } from './operation.ts'

const LoginId = Text('The login’s id.', { pattern: UUID_PATTERN })
const UserCode = Text(
  'The code that the command line shows. Small letters, spaces and hyphens are accepted.',
  {
    minLength: 1,
    maxLength: 40,
    writeOnly: true,
  },
)

const loginId = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

export const startLogin = defineOperation({
  id: 'startLogin',
  method: 'POST',
  path: '/v1/login/start',
  tag: 'sessions',
  summary: 'Start to sign a command line in',
  description:
    'A person confirms it in the dashboard within 10 minutes. With a port, the dashboard then sends the browser to ' +
    '`http://127.0.0.1:<port>/` with a code (RFC 8252). Without one, the person types a code that the command line shows (RFC 8628). ' +
    'Then the command line calls finishLogin. An address can have 20 waiting logins.',
  permission: 'none',
  body: request('StartLoginRequest', {
    codeChallenge: Text('The SHA-256 of the code verifier, in base64url (RFC 7636, S256).', {
      pattern: '^[A-Za-z0-9_-]{43}$',
    }),
    port: Type.Optional(
      Type.Integer({
        description: 'The port of the command line’s own machine that the browser is sent to. Default: none.',
        minimum: 1024,
        maximum: 65_535,
      }),
    ),
    hostName: Type.Optional(
      Text('What the machine calls itself, to show to the person.', {
        pattern: '^[A-Za-z0-9._-]*$',
        maxLength: 64,
      }),
    ),
  }),
  response: response('StartLoginResponse', {
    loginId: Text('Identifies the login.'),
    url: Text('The page where the person confirms it.'),
    userCode: Text('What the person types there; empty with a port.'),
    intervalSeconds: Type.Integer({ description: 'How long to wait between two calls of finishLogin.' }),
    expireTime: Timestamp('When it can no longer be confirmed.'),
  }),
  reasons: [],
  example: {
    request: { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', hostName: 'ada-laptop' },
    response: {
      loginId,
      url: 'https://skein.example.com/login',
      userCode: 'WDJB-MJHT',
      intervalSeconds: 5,
      expireTime: '2026-11-15T09:40:00.000Z',
    },
  },
})

export const findLogin = defineOperation({
  id: 'findLogin',
  method: 'POST',
  path: '/v1/login/find',
  tag: 'sessions',
  summary: 'Read what a command line asks for',
  description:
    'For the page that asks the person. Requires a browser session. A login with a code is found only by its code; ' +
    'attempts are limited per address and per account, and a wrong code counts more.',
  permission: 'session.open',
  body: request('FindLoginRequest', {
    loginId: Type.Optional(LoginId),
    userCode: Type.Optional(UserCode),
  }),
  response: response('Login', {
    loginId: Text('Identifies the login.'),
    way: Choice(['browser', 'code'], 'Whether the browser is sent back to the machine, or a code was typed.'),
    hostName: Text('What the machine calls itself. The name is not verified.'),
    address: Text('Where the request came from.'),
    isSameAddress: Flag(
      'Whether this browser’s requests come from the same address. False if only the address of a proxy is known.',
    ),
    createTime: Timestamp('When it was started.'),
    expireTime: Timestamp('When it can no longer be confirmed.'),
  }),
  reasons: ['LOGIN_NOT_FOUND'],
  example: {
    request: { userCode: 'WDJB-MJHT' },
    response: {
      loginId,
      way: 'code',
      hostName: 'ada-laptop',
      address: '203.0.113.7',
      isSameAddress: true,
      createTime: '2026-11-15T09:30:00.000Z',
      expireTime: '2026-11-15T09:40:00.000Z',
    },
  },
})

export const decideLogin = defineOperation({
  id: 'decideLogin',
  method: 'POST',
  path: '/v1/login/decide',
  tag: 'sessions',
  summary: 'Confirm or refuse that a command line is signed in',
  description:
    'Works once. Requires a browser session. The command line then acts as the caller, until the session that it gets ends: ' +
    'it lasts as long as the browser’s did when it was opened.',
  permission: 'session.open',
  body: request('DecideLoginRequest', {
    loginId: Type.Optional(LoginId),
    userCode: Type.Optional(UserCode),
    isAllowed: Flag('Whether it may act as the caller.'),
  }),
  response: response('DecideLoginResponse', {
    redirectUrl: Text('Where to send the browser, with the code for the command line; empty if nowhere.'),
  }),
  reasons: ['LOGIN_NOT_FOUND'],
  example: {
    request: { userCode: 'WDJB-MJHT', isAllowed: true },
    response: { redirectUrl: '' },
  },
})

const SessionKeys = response('SessionKeys', {
  identity: Identity,
  apiKey: Text('What the command line sends instead of an API key. Valid for an hour.'),
  expireTime: Timestamp('When the key expires.'),
  renewalKey: Text('Gets the next keys from renewSession, once.'),
  sessionExpireTime: Timestamp('When the session ends, however often its keys are renewed.'),
})

const keys = {
  identity: whoami.example.response,
  apiKey: 'skt_v1.0a1b2c3d.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
  expireTime: '2026-11-15T10:30:00.000Z',
  renewalKey: 'sku_v1.0a1b2c3d.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
  sessionExpireTime: '2026-11-15T21:30:00.000Z',
}

export const finishLogin = defineOperation({
  id: 'finishLogin',
  method: 'POST',
  path: '/v1/login/finish',
  tag: 'sessions',
  summary: 'Get the keys of a command line that was confirmed',
  description:
    'Works once. Until a person decides, it fails with LOGIN_PENDING, and with RATE_LIMITED if it is called too often: ' +
    'each time makes the interval 5 seconds longer.',
  permission: 'none',
  body: request('FinishLoginRequest', {
    loginId: LoginId,
    codeVerifier: Text('What the challenge was made of.', {
      pattern: '^[A-Za-z0-9._~-]{43,128}$',
      writeOnly: true,
    }),
    code: Type.Optional(
      Text('What the browser brought, for a login with a port.', { maxLength: 128, writeOnly: true }),
    ),
  }),
  response: SessionKeys,
  reasons: ['LOGIN_PENDING', 'LOGIN_EXPIRED', 'LOGIN_REFUSED'],
  example: { request: { loginId, codeVerifier }, response: keys },
})

export const renewSession = defineOperation({
  id: 'renewSession',
  method: 'POST',
  path: '/v1/session/renew',
  tag: 'sessions',
  summary: 'Get the next keys of a command line',
  description:
    'A renewal key works once, and again for one minute in case the answer was lost or two programs renew at once. ' +
    'If an older one is used, someone may have a copy, so the session ends.',
  permission: 'none',
  body: request('RenewSessionRequest', {
    renewalKey: Text('The newest one.', { minLength: 1, maxLength: 512, writeOnly: true }),
  }),
  response: SessionKeys,
  reasons: [],
  example: { request: { renewalKey: keys.renewalKey }, response: keys },
})
