import { SkeinError, type Tenant } from '@skein/contract'
import { providerName } from '@skein/contract/facts'
import type { Caller } from './caller.ts'

/** What an operator finds a tenant in. */
export interface TenantStanding {
  readonly id: string
  readonly tenant: Tenant
  readonly suspendedAt: number | undefined
  /** When its deletion began. */
  readonly closedAt: number | undefined
}

export type TenantState = 'TENANT_STATE_ACTIVE' | 'TENANT_STATE_SUSPENDED' | 'TENANT_STATE_DELETING'

export function tenantStateOf({
  suspendedAt,
  closedAt,
}: Pick<TenantStanding, 'suspendedAt' | 'closedAt'>): TenantState {
  if (closedAt !== undefined) return 'TENANT_STATE_DELETING'
  return suspendedAt === undefined ? 'TENANT_STATE_ACTIVE' : 'TENANT_STATE_SUSPENDED'
}

/** As in the paths for other systems, such as `codehost_app:acme`. The audit calls it that. */
export function nameOfTenant({ provider, org }: Tenant): string {
  return `${providerName(provider)}:${org}`
}

export function requireNamedProvider({ provider }: Tenant): void {
  if (provider !== 'PROVIDER_UNSPECIFIED') return
  throw new SkeinError('REQUEST_INVALID', {
    violations: [{ field: 'tenant.provider', description: 'must be a provider' }],
  })
}

/** A move takes seconds to minutes. */
const MOVE_RETRY_MS = 5_000

/** `hold` is what the database says of a tenant whose callers are refused. Only for callers with a valid key. */
export function refuseHeld(hold: string | undefined): void {
  if (hold === undefined) return
  if (hold === 'suspended') {
    throw new SkeinError('TENANT_SUSPENDED', {
      message: 'The tenant is suspended. Ask the operators of this installation to resume it.',
    })
  }
  const cell = /^moved ([a-z0-9]{1,8})$/.exec(hold)?.[1]
  if (cell === undefined) throw new SkeinError('TENANT_MOVING', { retryDelayMs: MOVE_RETRY_MS })
  throw new SkeinError('TENANT_MOVED', {
    message: `The tenant has moved to the cell ${cell}, and this request came to the one it has left.`,
    metadata: { cell },
    retryDelayMs: MOVE_RETRY_MS,
  })
}

/**
 * For senders that prove themselves without a key: what they want would come to nothing in the cell that the tenant leaves.
 * A suspended tenant keeps its sessions, for example, so they can be ended.
 */
export function refuseMoving(hold: string | undefined): void {
  if (hold !== 'suspended') refuseHeld(hold)
}

/** Otherwise an operator could lock out every operator, themselves included. */
export function requireOtherTenant(caller: Caller, tenantId: string): void {
  if (caller.tenantId === tenantId) throw new SkeinError('TENANT_OWN')
}

export function requireOpenTenant({ tenant, closedAt }: Pick<TenantStanding, 'tenant' | 'closedAt'>): void {
  if (closedAt === undefined) return
  throw new SkeinError('TENANT_CLOSING', { message: `The tenant ${tenant.org} is being deleted.` })
}

/** A request to delete a tenant has its name too, so that a wrong id has no effect. */
export function requireConfirmation({ tenant }: Pick<TenantStanding, 'tenant'>, confirm: string): void {
  if (confirm === tenant.org) return
  throw new SkeinError('REQUEST_INVALID', {
    message: 'The request is not valid: confirm must be the organization of the tenant.',
    violations: [{ field: 'confirm', description: 'must be the organization of the tenant' }],
  })
}

interface Removal {
  readonly now: number
  /** How long servers may still accept a key after it was revoked, and finish what it asked for. */
  readonly settleMs: number
  readonly closedAt: number
  readonly emptiedAt: number | undefined
}

/**
 * What may be done next to delete a closed tenant. Rows that were written by requests from before it was closed, or from
 * before the keys of its runners were deleted, must not stay behind: so it waits twice.
 */
export function removalStage({
  now,
  settleMs,
  closedAt,
  emptiedAt,
}: Removal): 'settle' | 'remove' | 'finish' {
  if (now < Math.max(closedAt, emptiedAt ?? closedAt) + settleMs) return 'settle'
  return emptiedAt === undefined ? 'remove' : 'finish'
}
