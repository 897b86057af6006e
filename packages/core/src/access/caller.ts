import type { Provider, Role, Tenant } from '@skein/contract'
import type { AgentIdentity } from '../agent/state.ts'

/** Who sends a request, as far as the rules care. */
export interface Caller {
  readonly tenantId: string
  readonly tenant: Tenant
  readonly ownerProvider: Provider
  readonly account: string
  readonly role: Role
  /** The name of the token resource that the key belongs to. */
  readonly token: string
  /** Role runner: the pools it serves. */
  readonly pools: readonly string[]
  /** Role runner: whether it serves these pools in every tenant. */
  readonly servesAllTenants: boolean
  /** Role run: the agent whose run it is. Nothing but its subtree can be seen or driven. */
  readonly within?: AgentIdentity
  /** Epoch milliseconds; absent for a key that does not expire. */
  readonly expiresAt?: number
}
