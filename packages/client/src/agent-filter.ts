import { type AgentAddress, parseAgentName } from './agent-name.ts'
import type { AgentIdInput, Phase, TenantInput, WatchAgentsRequest } from './generated/types.ts'

/**
 * Identifies an agent: `workspace/agent/child`, an id from the service, or an agent object.
 *
 * @example
 * import type { AgentReference } from '@skein/client'
 *
 * const references: AgentReference[] = ['shop/release', { workspace: 'shop', agent: ['release'] }, agent]
 */
export type AgentReference = string | AgentIdInput | { readonly id: AgentIdInput }

/**
 * Selects agents.
 *
 * @example
 * import type { AgentFilter } from '@skein/client'
 *
 * const stuck: AgentFilter = { account: '*', phases: ['PHASE_WAITING'], labels: { team: 'payments' } }
 */
export interface AgentFilter {
  /** Only children of this agent; by default, agents without a parent. */
  readonly parent?: AgentReference | undefined
  /** Default: your own. `*` for everyone's, a name, or `service_profile/ci`. */
  readonly account?: string | undefined
  /** Also include ended agents. */
  readonly includeTerminal?: boolean | undefined
  readonly phases?: readonly Phase[] | undefined
  /** All labels must match. */
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
  if (odd !== undefined) throw new TypeError(`A label to find agents by cannot contain a comma: ${odd}`)
  return terms.join(',')
}
