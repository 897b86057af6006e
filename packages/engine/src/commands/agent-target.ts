import type { AgentIdentity, Caller } from '@skein/core'

/** The agent a request names, with defaults filled in from the caller. */
export interface AgentTarget {
  readonly tenantId: string
  readonly tenant: Caller['tenant']
  readonly identity: AgentIdentity
  /** The only incarnation the caller may see; absent for callers who may see all. */
  readonly incarnation?: number
}
