import type { AgentId } from '@skein/client'
import * as facts from '@skein/contract/facts'

/** URL parameters of an agent's page, in the service's format for dashboardUrl. */
export interface AgentParams {
  readonly provider: string
  readonly account: string
  readonly workspace: string
  readonly _splat: string
}

export function agentLink({ ownerProvider, account, workspace, agent }: AgentId): {
  readonly to: '/agents/$provider/$account/$workspace/$'
  readonly params: AgentParams
} {
  return {
    to: '/agents/$provider/$account/$workspace/$',
    params: {
      provider: facts.providerName(ownerProvider),
      account,
      workspace,
      _splat: agent.join('/'),
    },
  }
}

/** Undefined for a URL the service didn't create. */
export function readAgentParams(
  params: AgentParams,
): Pick<AgentId, 'ownerProvider' | 'account' | 'workspace' | 'agent'> | undefined {
  const ownerProvider = facts.providerNamed(params.provider)
  const agent = params._splat.split('/').filter((part) => part !== '')
  if (ownerProvider === undefined || agent.length === 0) return undefined
  return { ownerProvider, account: params.account, workspace: params.workspace, agent }
}

/** Unique per agent, for list keys and caches. */
export function agentKey(agentId: AgentId): string {
  return facts.agentKey(agentId, agentId.agent)
}
