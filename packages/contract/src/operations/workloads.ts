import { Type } from 'typebox'
import { request, response, Text } from '../schemas/primitives.ts'
import { defineOperation } from './operation.ts'

export const exchangeToken = defineOperation({
  id: 'exchangeToken',
  method: 'POST',
  path: '/v1/token/{tenant}/{name}',
  tag: 'identity',
  summary: 'Exchange a platform’s token for a key',
  description:
    'For programs whose platform gives them an OpenID Connect token, such as CI jobs: OAuth token exchange (RFC 8693). The body is a form with ' +
    '`grant_type=urn:ietf:params:oauth:grant-type:token-exchange`, `subject_token_type=urn:ietf:params:oauth:token-type:jwt` and the token as `subject_token`. ' +
    'The workload identity in the path decides which tokens are accepted. Errors have the form of all others. Attempts are limited per address, and a failed one counts more.',
  permission: 'none',
  params: request(undefined, {
    tenant: Text('The tenant’s provider and organization, such as codehost_app:acme.', { maxLength: 300 }),
    name: Text('The workload identity.', { maxLength: 63 }),
  }),
  acceptsAnyBody: true,
  bodyLimitBytes: 64 * 1024,
  response: response('ExchangeTokenResponse', {
    access_token: Text('The key, to send like an API key.'),
    issued_token_type: Text('Always urn:ietf:params:oauth:token-type:access_token.'),
    token_type: Text('Always Bearer.'),
    expires_in: Type.Integer({ description: 'How many seconds it is valid.' }),
  }),
  reasons: ['WORKLOAD_TOKEN_INVALID', 'WORKLOAD_REFUSED', 'IDENTITY_PROVIDER_UNAVAILABLE', 'BODY_TOO_LARGE'],
  example: {
    path: '/v1/token/codehost_app:acme/release-job',
    response: {
      access_token: 'skw_c1.v1.0a1b2c3d.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 900,
    },
  },
})
