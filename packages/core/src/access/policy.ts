import { SkeinError, specified, type Tenant, type TenantInput } from '@skein/contract'
import { grantableRoles, mustJustify, permissionsOf, type Permission, type Role } from '@skein/contract/facts'
import type { Caller } from './caller.ts'

export function isAllowed(role: Role, permission: Permission): boolean {
  return permissionsOf(role).includes(permission)
}

export function requirePermission(caller: Caller, permission: Permission): void {
  if (isAllowed(caller.role, permission)) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: `The role ${caller.role} does not have the permission ${permission}.`,
    metadata: { permission, role: caller.role },
  })
}

export function isGrantable(by: Role, role: Role): boolean {
  return grantableRoles(by).includes(role)
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

export function requireJustification(caller: Caller, justification: string): void {
  if (!mustJustify(caller.role) || justification.trim() !== '') return
  throw new SkeinError('JUSTIFICATION_REQUIRED', {
    violations: [{ field: 'justification', description: 'required for an operator' }],
  })
}
