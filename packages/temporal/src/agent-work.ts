import type { SpawnFields } from '@skein/client'

/**
 * A new agent's work and settings, as for the SDK's `spawn`.
 *
 * @example
 * import type { AgentWork } from '@skein/temporal'
 *
 * const work: AgentWork = { workspace: 'shop', name: 'review', description: 'Review the checkout.', maxCost: 5 }
 */
export interface AgentWork extends Omit<SpawnFields, 'agentId' | 'resume' | 'name' | 'workspace'> {
  readonly workspace: string
  /**
   * How the agent's name begins, at most 42 characters; the rest identifies the activity. `release/docs` spawns a child
   * of the agent `release`. Default: `agent`.
   */
  readonly name?: string | undefined
}
