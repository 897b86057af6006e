import type { SpawnAgentRequest } from '@skein/contract'

export type TriggerOutcome = 'IGNORED' | 'SPAWNED' | 'SENT' | 'REFUSED' | 'FAILED'

/** What a delivery leads to. Stored first, so that it happens once, even if the trigger changes meanwhile. */
export interface TriggerPlan {
  readonly profile: string
  readonly workspace: string
  readonly agent: string
  /** Whether no other delivery can have the same name for its agent. */
  readonly isOwnName: boolean
  /** Absent if nothing is sent. */
  readonly message?: string
  /** Absent if no agent is started. */
  readonly spawn?: Omit<SpawnAgentRequest, 'agentId'>
  /** How many agents of the trigger may be alive. */
  readonly maxAgents: number
}

/** A decision not to do anything, with the reason for people. */
export interface NoPlan {
  readonly outcome: 'IGNORED' | 'REFUSED'
  readonly reason: string
}
