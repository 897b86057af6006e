import { parsePath } from './agent-name.ts'
import type { SpawnAgentRequest } from './generated/types.ts'
import { toWireSettings, type PlainSettings } from './plain-settings.ts'

/**
 * A new agent's work and settings.
 *
 * @example
 * import type { SpawnFields } from '@skein/client'
 *
 * const fields: SpawnFields = {
 *   description: 'Review the open pull request.',
 *   name: 'review',
 *   workspace: 'shop',
 *   persona: 'reviewer',
 *   maxCost: 5,
 *   labels: { team: 'payments' },
 * }
 */
export interface SpawnFields extends Omit<SpawnAgentRequest, 'agent' | 'outputSchema'>, PlainSettings {
  /** `release`, or `release/docs` for a child. Default: a generated, readable name. */
  readonly name?: string | undefined
  /** Provides repositories and environment. By default, the service picks one. */
  readonly workspace?: string | undefined
}

export function toSpawnRequest({ name, workspace, agentId, ...fields }: SpawnFields): SpawnAgentRequest {
  return {
    ...toWireSettings(fields),
    agentId: {
      ...agentId,
      ...(name !== undefined && { agent: parsePath(name) }),
      ...(workspace !== undefined && { workspace }),
    },
  }
}
