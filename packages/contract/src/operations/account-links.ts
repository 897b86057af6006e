import { Type, type Static } from 'typebox'
import { Provider } from '../schemas/identity.ts'
import { Flag, MaybeTimestamp, Name, request, response, Text } from '../schemas/primitives.ts'
import { defineOperation } from './operation.ts'
import { ReturnedTo } from './sign-in.ts'

export const LinkedAccount = response(
  'LinkedAccount',
  {
    identityProvider: Text('The identity provider that the account belongs to.'),
    title: Text('What people know it as.'),
    ownerProvider: Provider,
    account: Text('The account.'),
    linkTime: MaybeTimestamp('When it was linked.'),
    opensPullRequests: Flag(
      'Whether pull requests of the person’s agents can be opened as this account. If not, and its identity provider has `opensPullRequests`, link it again.',
    ),
  },
  { description: 'Another account of the same person.' },
)
export type LinkedAccount = Static<typeof LinkedAccount>

const LinkableProvider = response('LinkableProvider', {
  name: Text('The name of the identity provider.'),
  title: Text('What people know it as.'),
})
export type LinkableProvider = Static<typeof LinkableProvider>

const linkedAccount = {
  identityProvider: 'github',
  title: 'GitHub',
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ada',
  linkTime: '2026-11-15T09:30:00.000Z',
  opensPullRequests: true,
} as const

export const listLinkedAccounts = defineOperation({
  id: 'listLinkedAccounts',
  method: 'GET',
  path: '/v1/account/links',
  tag: 'identity',
  summary: 'List linked accounts',
  description:
    'The other accounts that the caller has linked to their own. A link gives no role and no team: each account keeps its own. ' +
    'In a browser that is signed in with an identity provider, it also lists the providers whose accounts can be linked.',
  permission: 'session.open',
  response: response('ListLinkedAccountsResponse', {
    links: Type.Array(LinkedAccount),
    providers: Type.Array(LinkableProvider, {
      description: 'Identity providers of which the caller can link an account.',
    }),
  }),
  reasons: [],
  example: {
    response: { links: [linkedAccount], providers: [{ name: 'keycloak', title: 'Acme' }] },
  },
})

export const startAccountLink = defineOperation({
  id: 'startAccountLink',
  method: 'POST',
  path: '/v1/account/links',
  tag: 'identity',
  summary: 'Start to link an account',
  description:
    'For a browser that is signed in with an identity provider. Returns the URL at another provider of the tenant where the person proves the other account. ' +
    'The response sets a cookie that binds it to this session, for 10 minutes. The provider sends the person back to a page of the dashboard, which calls finishAccountLink.',
  permission: 'session.open',
  body: request('StartAccountLinkRequest', { name: Name('The name of the identity provider.') }),
  response: response('StartAccountLinkResponse', { url: Text('Where to send the browser.') }),
  setsCookie: true,
  reasons: ['IDENTITY_PROVIDER_NOT_FOUND', 'IDENTITY_PROVIDER_UNAVAILABLE'],
  example: {
    request: { name: 'github' },
    response: { url: 'https://github.com/login/oauth/authorize?client_id=skein&…' },
  },
})

export const finishAccountLink = defineOperation({
  id: 'finishAccountLink',
  method: 'POST',
  path: '/v1/account/links/finish',
  tag: 'identity',
  summary: 'Finish linking an account',
  description:
    'Checks the provider’s response and links the account it names to the account of the session. Works once, in the session that started it. ' +
    'The other account must be able to sign in now, and must not be linked to another person’s. No session is opened.',
  permission: 'session.open',
  body: request('FinishAccountLinkRequest', { returnedTo: ReturnedTo }),
  response: response('FinishAccountLinkResponse', { link: LinkedAccount }),
  setsCookie: true,
  reasons: [
    'ACCOUNT_NOT_LINKABLE',
    'IDENTITY_PROVIDER_NOT_FOUND',
    'IDENTITY_PROVIDER_UNAVAILABLE',
    'SIGN_IN_EXPIRED',
    'SIGN_IN_INVALID',
    'SIGN_IN_REFUSED',
  ],
  example: {
    request: { returnedTo: '/sign-in/callback/codehost_app/acme/github?code=…&state=link.…' },
    response: { link: linkedAccount },
  },
})

export const unlinkAccount = defineOperation({
  id: 'unlinkAccount',
  method: 'DELETE',
  path: '/v1/account/links/{name}',
  tag: 'identity',
  summary: 'Unlink an account',
  description:
    'Unlinks the account of this identity provider from the caller’s other accounts. If the caller is signed in with that provider, unlinks the caller’s own account. ' +
    'The token is deleted unless the person is signed in with that account. Admins can do this for other people.',
  permission: 'session.open',
  params: request(undefined, { name: Name('The identity provider of the account to unlink.') }),
  query: request(undefined, {
    ownerProvider: Type.Optional(Provider),
    account: Type.Optional(
      Text('For admins: any account of the person, together with ownerProvider. Default: the caller’s.', {
        minLength: 1,
        maxLength: 255,
      }),
    ),
  }),
  isMutation: true,
  response: response('UnlinkAccountResponse', {}),
  reasons: ['LINK_NOT_FOUND'],
  example: { path: '/v1/account/links/github', response: {} },
})
