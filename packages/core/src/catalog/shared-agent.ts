import { shareLink } from '@skein/contract'
import { PROVIDERS } from '@skein/contract/facts'
import { agentKey, type AgentIdentity } from '../agent/state.ts'
import type { Document } from './document.ts'

/** A share link shows one incarnation of an agent, never a later agent with the same name. */
export interface SharedAgent {
  readonly identity: AgentIdentity
  readonly incarnation: number
}

/** For a link created before its agent existed. */
const FIRST_LIFE = 1

/** Expects a valid document. */
export function sharedAgent(document: Document): SharedAgent {
  const { ownerProvider, account, workspace, agent, incarnation } = document
  return {
    identity: {
      ownerProvider: PROVIDERS.find((known) => known === ownerProvider) ?? 'PROVIDER_UNSPECIFIED',
      account: String(account),
      workspace: String(workspace),
      path: Array.isArray(agent) ? agent.map(String) : [],
    },
    incarnation: typeof incarnation === 'number' ? incarnation : FIRST_LIFE,
  }
}

/** Undefined if the document leads to no agent. */
export function sharedIdentity(kind: string, document: Document): AgentIdentity | undefined {
  return kind === shareLink.kind ? sharedAgent(document).identity : undefined
}

/** A link keeps its incarnation as long as it points to the same agent. */
export function chooseIncarnation(
  document: Document,
  current: Document | undefined,
  newest: number | undefined,
): number {
  const before = current && sharedAgent(current)
  const isSameAgent = before && agentKey(before.identity) === agentKey(sharedAgent(document).identity)
  return isSameAgent ? before.incarnation : (newest ?? FIRST_LIFE)
}
