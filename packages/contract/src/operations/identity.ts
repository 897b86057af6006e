import { Identity, Permissions } from '../schemas/identity.ts'
import { tenant } from './examples.ts'
import { defineOperation } from './operation.ts'

export const whoami = defineOperation({
  id: 'whoami',
  method: 'GET',
  path: '/v1/whoami',
  tag: 'identity',
  summary: 'Read who the caller is',
  description: 'Returns the tenant, account and role of the API key.',
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

export const getPermissions = defineOperation({
  id: 'getPermissions',
  method: 'GET',
  path: '/v1/permissions',
  tag: 'identity',
  summary: 'Read what the caller may do',
  description:
    'Returns the caller’s permissions, for clients that show or hide what a person can do. The service still checks each request.',
  permission: 'identity.read',
  response: Permissions,
  reasons: [],
  example: {
    response: {
      permissions: [
        'identity.read',
        'session.open',
        'catalog.read',
        'agent.follow',
        'agent.read',
        'agent.drive',
      ],
      grantableRoles: [],
      mustJustify: false,
      workspaces: [
        {
          workspace: 'shop',
          team: 'payments',
          permissions: ['identity.read', 'session.open', 'catalog.read', 'agent.follow', 'agent.read'],
        },
      ],
    },
  },
})
