import {
  SkeinError,
  specified,
  type Permission,
  type Role,
  type Tenant,
  type TenantInput,
} from '@skein/contract'
import type { Caller } from './caller.ts'

const VIEWER = ['identity.read', 'session.open', 'catalog.read', 'agent.follow', 'agent.read'] as const

/** What each role may do. What is not listed is denied. */
const PERMISSIONS_OF: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  member: [...VIEWER, 'agent.drive'],
  admin: [...VIEWER, 'catalog.write', 'audit.read', 'agent.drive'],
  operator: [...VIEWER, 'catalog.write', 'ceiling.write', 'audit.read', 'agent.drive'],
  runner: ['identity.read', 'run.execute'],
  run: ['identity.read', 'agent.follow', 'agent.read', 'agent.drive'],
  guest: ['identity.read', 'share.read', 'agent.follow'],
}

export function isAllowed(role: Role, permission: Permission): boolean {
  return PERMISSIONS_OF[role].includes(permission)
}

export function requirePermission(caller: Caller, permission: Permission): void {
  if (isAllowed(caller.role, permission)) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: `The role ${caller.role} does not have the permission ${permission}.`,
    metadata: { permission, role: caller.role },
  })
}

/** Roles whose tokens a caller may create, change or delete. The keys of runs and guests are only ever made by the engine. */
const GRANTABLE_BY: Readonly<Partial<Record<Role, readonly Role[]>>> = {
  admin: ['viewer', 'member', 'admin', 'runner'],
  operator: ['viewer', 'member', 'admin', 'runner', 'operator'],
}

export function isGrantable(by: Role, role: Role): boolean {
  return GRANTABLE_BY[by]?.includes(role) ?? false
}

export type TenantChoice =
  | { readonly type: 'own' }
  /** An operator works in another tenant, if there is one of that name. */
  | { readonly type: 'other'; readonly tenant: Tenant }
  /** Answered exactly as if it did not exist. */
  | { readonly type: 'hidden' }

/** The tenant that a request names. What is left out comes from the caller. */
export function fillTenant(caller: Caller, asked: TenantInput = {}): Tenant {
  return {
    provider: specified(asked.provider) ?? caller.tenant.provider,
    org: asked.org === undefined || asked.org === '' ? caller.tenant.org : asked.org,
  }
}

/** Which tenant a request is about, for this caller. */
export function chooseTenant(caller: Caller, asked?: TenantInput): TenantChoice {
  const tenant = fillTenant(caller, asked)
  if (tenant.provider === caller.tenant.provider && tenant.org === caller.tenant.org) return { type: 'own' }
  return caller.role === 'operator' ? { type: 'other', tenant } : { type: 'hidden' }
}

/** An operator who changes another tenant's agents explains it; in its own tenant it is one of the people. */
export function requireJustificationAcross(caller: Caller, tenantId: string, justification: string): void {
  if (caller.tenantId !== tenantId) requireJustification(caller, justification)
}

/** An operator explains each write, so that the tenant can read why in its audit log. */
export function requireJustification(caller: Caller, justification: string): void {
  if (caller.role !== 'operator' || justification.trim() !== '') return
  throw new SkeinError('JUSTIFICATION_REQUIRED', {
    violations: [{ field: 'justification', description: 'required for an operator' }],
  })
}
