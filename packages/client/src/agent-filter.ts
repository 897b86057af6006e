import { type AgentAddress, parseAgentName } from './agent-name.ts'
import type { AgentIdInput, Phase, TenantInput, WatchAgentsRequest } from './generated/types.ts'

/**
 * Names an agent: `workspace/agent/child`, an id as the service gives it, or the agent itself.
 *
 * @example
 * import type { AgentReference } from '@skein/client'
 *
 * const references: AgentReference[] = ['shop/release', { workspace: 'shop', agent: ['release'] }, agent]
 */
export type AgentReference = string | AgentIdInput | { readonly id: AgentIdInput }

/**
 * Which agents.
 *
 * @example
 * import type { AgentFilter } from '@skein/client'
 *
 * const stuck: AgentFilter = { account: '*', phases: ['PHASE_WAITING'], labels: { team: 'payments' } }
 */
export interface AgentFilter {
  /** The children of this agent; without it, agents that have no parent. */
  readonly parent?: AgentReference | undefined
  /** Whose: yours when left out, `*` for everyone's, a name, or `service_profile/ci`. */
  readonly account?: string | undefined
  /** Those that have ended too. */
  readonly includeTerminal?: boolean | undefined
  readonly phases?: readonly Phase[] | undefined
  /** All of these must match. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** For operators. */
  readonly tenant?: TenantInput | undefined
}

export function toAddress(reference: AgentReference): AgentAddress {
  if (typeof reference === 'string') return parseAgentName(reference)
  const id = 'id' in reference ? reference.id : reference
  const { workspace, agent } = id
  if (workspace !== undefined && agent !== undefined) return { ...id, workspace, agent }
  throw new TypeError('An agent’s id needs a workspace and a path')
}

export function toListRequest({ parent, labels, ...filter }: AgentFilter): WatchAgentsRequest {
  return {
    ...filter,
    parentId: parent === undefined ? undefined : toAddress(parent),
    labelSelector: labels && toSelector(labels),
  }
}

export function toSelector(labels: Readonly<Record<string, string>>): string {
  const terms = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  const odd = terms.find((term) => term.includes(','))
  if (odd !== undefined) throw new TypeError(`A label to find agents by cannot have a comma: ${odd}`)
  return terms.join(',')
}
