import { Type, type Static } from 'typebox'
import { MAX_DEPTH, MAYBE_NAME_PATTERN } from '../facts/names.ts'
import { PROVIDERS } from '../facts/providers.ts'
import { PERMISSIONS, ROLES } from '../facts/roles.ts'
import { Choice, Name, request, response, Text, Timestamp } from './primitives.ts'

export const Provider = Choice(
  PROVIDERS,
  'The namespace an organization or an owner belongs to. Namespaces never mix.',
  { $id: 'Provider' },
)
export type Provider = Static<typeof Provider>

const orgPattern = { minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }

export const Tenant = response(
  'Tenant',
  {
    provider: Provider,
    org: Text('The organization’s name, or the user’s if the tenant is one person.', orgPattern),
  },
  { description: 'An organization within a provider: the unit that everything belongs to.' },
)
export type Tenant = Static<typeof Tenant>

export const TenantInput = request('TenantInput', {
  provider: Type.Optional(Provider),
  org: Type.Optional(Type.String({ maxLength: 255, description: 'The organization. Default: yours.' })),
})
export type TenantInput = Static<typeof TenantInput>

/** Of paths for other systems, which have no key. */
export const TenantInPath = Text('The tenant’s provider and organization, such as codehost_app:acme.', {
  maxLength: 300,
})

export const Role = Choice(ROLES, 'What the key may do: see the list of roles in the documentation.', {
  $id: 'Role',
})
export type Role = Static<typeof Role>

export const Account = (description: string) => Text(description, { minLength: 1, maxLength: 255 })

export const AgentId = response(
  'AgentId',
  {
    tenant: Tenant,
    ownerProvider: Provider,
    account: Account('Who owns the agent: a user’s name, or the name of a service profile.'),
    agent: Type.Array(Name('One element of the path.'), {
      minItems: 1,
      maxItems: MAX_DEPTH,
      description: 'The path from the root agent down to this one; a root has one element.',
    }),
    workspace: Name('The workspace that gives the agent its repositories and environment.'),
  },
  { description: 'The identity of an agent.' },
)
export type AgentId = Static<typeof AgentId>

/** What a caller sends. Missing parts come from the caller, and at spawn from the service. */
export const AgentIdInput = request(
  'AgentIdInput',
  {
    tenant: Type.Optional(TenantInput),
    ownerProvider: Type.Optional(Provider),
    account: Type.Optional(Type.String({ maxLength: 255, description: 'The owner; default: yours.' })),
    agent: Type.Optional(
      Type.Array(Name('One element of the path.'), {
        maxItems: MAX_DEPTH,
        description: 'The path from root to leaf.',
      }),
    ),
    workspace: Type.Optional(
      Type.String({
        pattern: MAYBE_NAME_PATTERN,
        description: 'May be empty at spawn; the service then chooses one.',
      }),
    ),
  },
  { description: 'Names an agent.' },
)
export type AgentIdInput = Static<typeof AgentIdInput>

export const Identity = response(
  'Identity',
  {
    tenant: Tenant,
    ownerProvider: Provider,
    account: Account('The account that the key acts for.'),
    role: Role,
    token: Text(
      'The name of the token that the key belongs to, or `identity-provider/` and the name of the identity provider that the person signed in with.',
    ),
    expireTime: Type.Union([Timestamp('When the key stops working.'), Type.Literal('')], {
      description: 'When the key stops working; empty for a key that does not expire.',
    }),
  },
  { description: 'The caller’s identity.' },
)
export type Identity = Static<typeof Identity>

const Permission = Choice(PERMISSIONS, 'Something that the service allows a caller to do.', {
  $id: 'Permission',
})

const WorkspacePermissions = response(
  'WorkspacePermissions',
  {
    workspace: Text('A workspace.'),
    team: Text('The team it belongs to, in which the caller is.'),
    permissions: Type.Array(Permission, { description: 'What the caller may do there.' }),
  },
  { description: 'What the service allows the caller in a workspace of one of its teams.' },
)

export const Permissions = response(
  'Permissions',
  {
    permissions: Type.Array(Permission, {
      description:
        'What the caller may do. `agent.drive` covers the caller’s own agents, `agent.drive-any` everyone’s.',
    }),
    grantableRoles: Type.Array(Role, {
      description: 'The roles of the tokens that the caller may create, change or delete.',
    }),
    mustJustify: Type.Boolean({
      description: 'Whether catalog writes require a justification.',
    }),
    workspaces: Type.Array(WorkspacePermissions, {
      description:
        'Workspaces of the caller’s teams, where these permissions count instead. Empty if teams don’t limit the caller.',
    }),
  },
  { description: 'What the service allows the caller.' },
)
export type Permissions = Static<typeof Permissions>
