import { formatAgentName, parseAgentName, type AgentAddress, type AgentId } from '@skein/client'
import { providerNamed } from '@skein/contract/facts'
import { agentLink } from '../format/agent-link.ts'

/** `?parent=workspace/agent` or `?copy=workspace/agent`, with the owner if it is someone else's. */
export interface SpawnSearch {
  readonly parent?: string
  /** The agent whose task and settings prefill the form. */
  readonly copy?: string
  readonly account?: string
  readonly provider?: string
}

export function readSpawnSearch(search: Record<string, unknown>): SpawnSearch {
  return {
    ...readText(search, 'parent'),
    ...readText(search, 'copy'),
    ...readText(search, 'account'),
    ...readText(search, 'provider'),
  }
}

function readText(search: Record<string, unknown>, name: keyof SpawnSearch): SpawnSearch {
  const value = search[name]
  return typeof value === 'string' && value !== '' ? { [name]: value } : {}
}

export type SpawnChoice =
  | { readonly type: 'new' }
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'child' | 'copy'; readonly address: AgentAddress; readonly name: string }

/** What the URL asks for: a new agent, a child of one, or a copy of one. */
export function readChoice({ parent, copy, account, provider }: SpawnSearch): SpawnChoice {
  const named = parent ?? copy
  if (named === undefined) return { type: 'new' }
  const ownerProvider = providerNamed(provider ?? '')
  try {
    const address: AgentAddress = {
      ...parseAgentName(named),
      ...(account !== undefined && { account }),
      ...(ownerProvider !== undefined && { ownerProvider }),
    }
    return { type: parent === undefined ? 'copy' : 'child', address, name: formatAgentName(address) }
  } catch (error) {
    return { type: 'unreadable', problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Link to the form for a copy of this agent. */
export function copySearch(agentId: AgentId): SpawnSearch {
  const { provider, account } = agentLink(agentId).params
  return { copy: formatAgentName(agentId), account, provider }
}

/** A copy of a child is a child of the same parent. */
export function parentOf(original: AgentAddress): {
  readonly parent: AgentAddress | undefined
  readonly parentName: string | undefined
} {
  if (original.agent.length < 2) return { parent: undefined, parentName: undefined }
  const parent = { ...original, agent: original.agent.slice(0, -1) }
  return { parent, parentName: formatAgentName(parent) }
}
