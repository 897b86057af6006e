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
] as const
export type Permission = (typeof PERMISSIONS)[number]

export const ROLES = ['viewer', 'member', 'admin', 'operator', 'runner', 'run', 'guest'] as const
export type Role = (typeof ROLES)[number]

const VIEWER = ['identity.read', 'session.open', 'catalog.read', 'agent.follow', 'agent.read'] as const
const ADMIN = [...VIEWER, 'catalog.write', 'audit.read', 'agent.drive', 'agent.drive-any'] as const

const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  member: [...VIEWER, 'agent.drive'],
  admin: ADMIN,
  operator: [...ADMIN, 'ceiling.write'],
  runner: ['identity.read', 'run.execute'],
  run: ['identity.read', 'agent.follow', 'agent.read', 'agent.drive'],
  guest: ['identity.read', 'share.read', 'agent.follow'],
}

/** Anything not listed is denied. The service decides: a client may be talking to another version. */
export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS_OF[role]
}

const GRANTABLE_BY: Readonly<Partial<Record<Role, readonly Role[]>>> = {
  admin: ['viewer', 'member', 'admin', 'runner'],
  operator: ['viewer', 'member', 'admin', 'runner', 'operator'],
}

/**
 * The roles whose tokens a caller may create, change or delete, so that no key can do more than its creator's. Keys
 * of runs and guests are only created by the service.
 */
export function grantableRoles(by: Role): readonly Role[] {
  return GRANTABLE_BY[by] ?? []
}

/** An operator must explain each write, so that the tenant can read the reason in its audit log. */
export function mustJustify(role: Role): boolean {
  return role === 'operator'
}
