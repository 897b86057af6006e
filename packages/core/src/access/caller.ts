import type { Provider, Role, Tenant } from '@skein/contract'
import type { TeamRole } from '@skein/contract/facts'
import type { AgentIdentity } from '../agent/state.ts'

/** How a tenant is divided, as one caller finds it. */
export interface CallerTeams {
  /** Every workspace the tenant ever had and every built-in, with its team; empty for one that belongs to everyone. */
  readonly teamOf: ReadonlyMap<string, string>
  /** The caller's teams, and its role in each. */
  readonly roles: ReadonlyMap<string, TeamRole>
}

/** Who sends a request, with everything the rules need to know. */
export interface Caller {
  readonly tenantId: string
  readonly tenant: Tenant
  readonly ownerProvider: Provider
  readonly account: string
  readonly role: Role
  /** Name of the token resource the key belongs to. */
  readonly token: string
  /** Roles `viewer` and `member` in a tenant with teams. Absent: teams don't limit what it sees. */
  readonly teams?: CallerTeams
  /** Role `runner`: the pools it serves. */
  readonly pools: readonly string[]
  /** Role `runner`: whether it serves these pools in every tenant. */
  readonly servesAllTenants: boolean
  /**
   * Role `run`: the agent whose run it is; only its subtree can be seen or driven. Role `guest`: the one visible
   * agent.
   */
  readonly within?: AgentIdentity
  /** Role `run`: the attempt that holds the key. */
  readonly lease?: { readonly runId: bigint; readonly attempt: number }
  /** Role `guest`: the one visible incarnation of that agent. */
  readonly incarnation?: number
  /** The key used, or the one its browser session stands for; absent for a run. */
  readonly keyId?: string
  /** Set for a person in a browser, authenticated by cookie. */
  readonly sessionId?: string
  /** Set for a command line that a person signed in: its session. */
  readonly commandLineId?: string
  /** Whether it is a program whose platform vouches for it. */
  readonly isWorkload?: true
  /** Set when an operator reads another tenant's data: the operation, and the reason if given. */
  readonly reads?: { readonly operation: string; readonly requestId: string; readonly justification: string }
  /** Epoch milliseconds; absent for a key that does not expire. */
  readonly expiresAt?: number
}
