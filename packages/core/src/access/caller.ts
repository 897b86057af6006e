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
  /**
   * Role run: the agent whose run it is, and nothing but its subtree can be seen or driven. Role guest: the one agent
   * that can be seen.
   */
  readonly within?: AgentIdentity
  /** Role guest: the one life of that agent that can be seen. */
  readonly incarnation?: number
  /** The key that it came with, or that its session stands for; absent for a run. */
  readonly keyId?: string
  /** Set where the caller is a person in a browser, known by a cookie. */
  readonly sessionId?: string
  /** Set where an operator reads: what it does so with, and why if it says. */
  readonly reads?: { readonly operation: string; readonly requestId: string; readonly justification: string }
  /** Epoch milliseconds; absent for a key that does not expire. */
  readonly expiresAt?: number
}
