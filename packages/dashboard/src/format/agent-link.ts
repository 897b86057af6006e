import type { AgentId, Provider } from '@skein/client'

/** How an agent's page is addressed; the same way the service makes dashboardUrl. */
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
      provider: ownerProvider.replace('PROVIDER_', '').toLowerCase(),
      account,
      workspace,
      _splat: agent.join('/'),
    },
  }
}

const PROVIDERS: readonly Provider[] = [
  'PROVIDER_CODEHOST_OAUTH',
  'PROVIDER_CODEHOST_APP',
  'PROVIDER_IDP_OIDC',
  'PROVIDER_SERVICE_PROFILE',
]

/** Undefined for an address that nobody of ours has made. */
export function readAgentParams(
  params: AgentParams,
): Pick<AgentId, 'ownerProvider' | 'account' | 'workspace' | 'agent'> | undefined {
  const ownerProvider = PROVIDERS.find((provider) => provider === `PROVIDER_${params.provider.toUpperCase()}`)
  const agent = params._splat.split('/').filter((part) => part !== '')
  if (ownerProvider === undefined || agent.length === 0) return undefined
  return { ownerProvider, account: params.account, workspace: params.workspace, agent }
}

/** One text for one agent, for keys of lists and caches. */
export function agentKey({ ownerProvider, account, workspace, agent }: AgentId): string {
  return [ownerProvider, account, workspace, ...agent].join('/')
}
