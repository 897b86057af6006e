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
  /** An operator acts in another tenant, if it exists. */
  | { readonly type: 'other'; readonly tenant: Tenant }
  /** Answered as if the tenant did not exist. */
  | { readonly type: 'hidden' }

/** The tenant a request names. Missing parts come from the caller. */
export function fillTenant(caller: Caller, asked: TenantInput = {}): Tenant {
  return {
    provider: specified(asked.provider) ?? caller.tenant.provider,
    org: asked.org === undefined || asked.org === '' ? caller.tenant.org : asked.org,
  }
}

/** Decides which tenant a request is about. */
export function chooseTenant(caller: Caller, asked?: TenantInput): TenantChoice {
  const tenant = fillTenant(caller, asked)
  if (tenant.provider === caller.tenant.provider && tenant.org === caller.tenant.org) return { type: 'own' }
  return caller.role === 'operator' ? { type: 'other', tenant } : { type: 'hidden' }
}

/** An operator must justify changing another tenant's agents, but not its own tenant's. */
export function requireJustificationAcross(caller: Caller, tenantId: string, justification: string): void {
  if (caller.tenantId !== tenantId) requireJustification(caller, justification)
}

export function requireJustification(caller: Caller, justification: string): void {
  if (!mustJustify(caller.role) || justification.trim() !== '') return
  throw new SkeinError('JUSTIFICATION_REQUIRED', {
    violations: [{ field: 'justification', description: 'required for an operator' }],
  })
}
