import { Identity } from '../schemas/identity.ts'
import { tenant } from './examples.ts'
import { defineOperation } from './operation.ts'

export const whoami = defineOperation({
  id: 'whoami',
  method: 'GET',
  path: '/v1/whoami',
  tag: 'identity',
  summary: 'Tell who the caller is',
  description: 'Answers with the tenant, account and role that the API key stands for.',
  permission: 'identity.read',
  response: Identity,
  reasons: [],
  example: {
    response: {
      tenant,
      ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
      account: 'ada',
      role: 'admin',
      token: 'ada-laptop',
      expireTime: '',
    },
  },
})
