import { parsePath } from './agent-name.ts'
import type { SpawnAgentRequest } from './generated/types.ts'

/**
 * What a new agent is told and how it works. `agent` is its persona.
 *
 * @example
 * import type { SpawnFields } from '@skein/client'
 *
 * const fields: SpawnFields = {
 *   description: 'Review the open pull request.',
 *   name: 'review',
 *   workspace: 'shop',
 *   agent: 'reviewer',
 *   maxCost: 5,
 *   labels: { team: 'payments' },
 * }
 */
export interface SpawnFields extends SpawnAgentRequest {
  /** `release`, or `release/docs` for a child. A readable one is made up when left out. */
  readonly name?: string | undefined
  /** Gives the agent its repositories and environment. The service picks one when left out. */
  readonly workspace?: string | undefined
}

export function toSpawnRequest({ name, workspace, agentId, ...fields }: SpawnFields): SpawnAgentRequest {
  return {
    ...fields,
    agentId: {
      ...agentId,
      ...(name !== undefined && { agent: parsePath(name) }),
      ...(workspace !== undefined && { workspace }),
    },
  }
}
