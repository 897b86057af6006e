import { Type } from 'typebox'
import { Identity, Tenant, TenantInPath, TenantInput } from '../schemas/identity.ts'
import { Name, request, response, Text, Timestamp } from '../schemas/primitives.ts'
import { tenant } from './examples.ts'
import { whoami } from './identity.ts'
import { defineOperation } from './operation.ts'

export const ReturnedTo = Text('Path and query of the page that the provider sent the browser to.', {
  pattern: '^/sign-in/callback/',
  maxLength: 8192,
  writeOnly: true,
})

export const PageSecret = Text('Random, generated and kept by the page. Only its digest is stored.', {
  pattern: '^[A-Za-z0-9_-]{43,128}$',
  writeOnly: true,
})

export const pageSecret = 'hX3bTz1kq0uC8mJYw5ePn7sVd2RfGa9LoQ4iKxN6yBE'

export const listSignInProviders = defineOperation({
  id: 'listSignInProviders',
  method: 'GET',
  path: '/v1/session/providers',
  tag: 'sessions',
  summary: 'List how people of a tenant can sign in',
  description:
    'The identity providers of tenants with this organization’s name, for the sign-in page. Needs no API key. ' +
    'Empty if the tenant does not exist or has none.',
  permission: 'none',
  query: request(undefined, {
    org: Type.Optional(
      Text('The organization. Default: the one that the service is set up for, if any.', { maxLength: 255 }),
    ),
  }),
  response: response('ListSignInProvidersResponse', {
    providers: Type.Array(
      response('SignInProvider', {
        tenant: Tenant,
        name: Text('The name of the identity provider.'),
        title: Text('What people know it as.'),
      }),
    ),
  }),
  reasons: [],
  example: {
    path: '/v1/session/providers?org=acme',
    response: { providers: [{ tenant, name: 'keycloak', title: 'Acme' }] },
  },
})

export const startSignIn = defineOperation({
  id: 'startSignIn',
  method: 'POST',
  path: '/v1/session/start',
  tag: 'sessions',
  summary: 'Start to sign in with an identity provider',
  description:
    'Returns the URL at the provider where the person signs in. The response sets a cookie that binds the sign-in to this browser, for 10 minutes. ' +
    'The provider sends the person back to a page of the dashboard, which calls finishSignIn.',
  permission: 'none',
  body: request('StartSignInRequest', {
    tenant: TenantInput,
    name: Name('The name of the identity provider.'),
    pageSecret: PageSecret,
  }),
  response: response('StartSignInResponse', { url: Text('Where to send the browser.') }),
  setsCookie: true,
  reasons: ['IDENTITY_PROVIDER_NOT_FOUND', 'IDENTITY_PROVIDER_UNAVAILABLE'],
  example: {
    request: { tenant, name: 'keycloak', pageSecret },
    response: {
      url: 'https://sso.acme.example.com/realms/acme/protocol/openid-connect/auth?client_id=skein&…',
    },
  },
})

export const finishSignIn = defineOperation({
  id: 'finishSignIn',
  method: 'POST',
  path: '/v1/session/finish',
  tag: 'sessions',
  summary: 'Finish signing in with an identity provider',
  description:
    'Checks the provider’s response and opens a session, as signIn does. Works once, in the browser and for the page that started it. ' +
    'The person gets the role that the provider’s document gives to their claims.',
  permission: 'none',
  body: request('FinishSignInRequest', {
    returnedTo: ReturnedTo,
    pageSecret: PageSecret,
  }),
  response: response('FinishSignInResponse', {
    identity: Identity,
    expireTime: Timestamp('When the session expires.'),
  }),
  setsCookie: true,
  reasons: [
    'IDENTITY_PROVIDER_NOT_FOUND',
    'IDENTITY_PROVIDER_UNAVAILABLE',
    'SIGN_IN_EXPIRED',
    'SIGN_IN_INVALID',
    'SIGN_IN_REFUSED',
  ],
  example: {
    request: {
      returnedTo: '/sign-in/callback/codehost_app/acme/keycloak?code=…&state=…',
      pageSecret,
    },
    response: { identity: whoami.example.response, expireTime: '2026-11-15T21:30:00.000Z' },
  },
})

export const endProviderSessions = defineOperation({
  id: 'endProviderSessions',
  method: 'POST',
  path: '/v1/session/logout/{tenant}/{name}',
  tag: 'sessions',
  summary: 'End sessions on behalf of an identity provider',
  description:
    'For identity providers: OpenID Connect Back-Channel Logout. The body is a form with a `logout_token` that the provider signed. ' +
    'Ends the sessions of the person, or those of one sign-in at the provider, that were opened before the token was issued.',
  permission: 'none',
  params: request(undefined, {
    tenant: TenantInPath,
    name: Text('The identity provider.', { maxLength: 63 }),
  }),
  acceptsAnyBody: true,
  bodyLimitBytes: 64 * 1024,
  response: response('EndProviderSessionsResponse', {}),
  reasons: ['SIGN_IN_INVALID', 'IDENTITY_PROVIDER_UNAVAILABLE', 'BODY_TOO_LARGE'],
  example: { path: '/v1/session/logout/codehost_app:acme/keycloak', response: {} },
})
