/** What a role must allow for an operation. */
export const PERMISSIONS = [
  'identity.read',
  'session.open',
  'share.read',
  'catalog.read',
  'catalog.write',
  'ceiling.write',
  'audit.read',
  'agent.follow',
  'agent.read',
  'agent.drive',
  'agent.drive-any',
  'run.execute',
  'people.provision',
  'tenant.manage',
] as const
export type Permission = (typeof PERMISSIONS)[number]

export const ROLES = ['viewer', 'member', 'admin', 'operator', 'runner', 'run', 'guest', 'directory'] as const
export type Role = (typeof ROLES)[number]

const VIEWER = ['identity.read', 'session.open', 'catalog.read', 'agent.follow', 'agent.read'] as const
const ADMIN = [...VIEWER, 'catalog.write', 'audit.read', 'agent.drive', 'agent.drive-any'] as const

const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  member: [...VIEWER, 'agent.drive'],
  admin: ADMIN,
  operator: [...ADMIN, 'ceiling.write', 'tenant.manage'],
  runner: ['identity.read', 'run.execute'],
  run: ['identity.read', 'agent.follow', 'agent.read', 'agent.drive'],
  guest: ['identity.read', 'share.read', 'agent.follow'],
  directory: ['people.provision'],
}

/** Anything not listed is denied. The service decides: a client may be talking to another version. */
export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS_OF[role]
}

/** What a member may do in the workspaces of a team. */
export const TEAM_ROLES = ['viewer', 'member', 'lead'] as const
export type TeamRole = (typeof TEAM_ROLES)[number]

/**
 * Whether a caller of this role sees only what belongs to everyone or to its teams. Admins and operators see
 * everything; a runner is bound to its pools, a run to its subtree and a guest to its link.
 */
export function isDividedByTeams(role: Role): boolean {
  return role === 'viewer' || role === 'member'
}

/** A team never gives a key more than its role, except that a lead who can drive agents can drive the whole team's. */
export function permissionsInTeam(role: Role, teamRole: TeamRole): readonly Permission[] {
  const own = permissionsOf(role)
  switch (teamRole) {
    case 'viewer':
      return own.filter((permission) => permissionsOf('viewer').includes(permission))
    case 'member':
      return own
    case 'lead':
      return own.includes('agent.drive') ? [...own, 'agent.drive-any'] : own
  }
}

const GRANTABLE_BY: Readonly<Partial<Record<Role, readonly Role[]>>> = {
  admin: ['viewer', 'member', 'admin', 'runner'],
  operator: ['viewer', 'member', 'admin', 'runner', 'operator'],
}

/**
 * The roles whose tokens a caller may create, change or delete, so that no key can do more than its creator's. Keys
 * of runs, guests and directories are only created by the service.
 */
export function grantableRoles(by: Role): readonly Role[] {
  return GRANTABLE_BY[by] ?? []
}

/** An operator must explain each write, so that the tenant can read the reason in its audit log. */
export function mustJustify(role: Role): boolean {
  return role === 'operator'
}
