import type { AgentId } from '@skein/client'
import { agentLink } from '../../format/agent-link.ts'

/** The URL the router makes from `agentLink`. */
export function agentHref(agentId: AgentId): string {
  const { provider, account, workspace } = agentLink(agentId).params
  const parts = [provider, account, workspace, ...agentId.agent]
  return `/agents/${parts.map((part) => encodeURIComponent(part)).join('/')}`
}
