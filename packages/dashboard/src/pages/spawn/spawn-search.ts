import { formatAgentName, parseAgentName, type AgentAddress, type Provider } from '@skein/client'

/** `?parent=workspace/agent`, with the owner where that is somebody else. */
export interface SpawnSearch {
  readonly parent?: string
  readonly account?: string
  readonly provider?: string
}

export function readSpawnSearch(search: Record<string, unknown>): SpawnSearch {
  return {
    ...readText(search, 'parent'),
    ...readText(search, 'account'),
    ...readText(search, 'provider'),
  }
}

function readText(search: Record<string, unknown>, name: keyof SpawnSearch): SpawnSearch {
  const value = search[name]
  return typeof value === 'string' && value !== '' ? { [name]: value } : {}
}

const PROVIDERS: readonly Provider[] = [
  'PROVIDER_CODEHOST_OAUTH',
  'PROVIDER_CODEHOST_APP',
  'PROVIDER_IDP_OIDC',
  'PROVIDER_SERVICE_PROFILE',
]

export type ParentChoice =
  | { readonly type: 'none' }
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'parent'; readonly address: AgentAddress; readonly name: string }

export function readParent({ parent, account, provider }: SpawnSearch): ParentChoice {
  if (parent === undefined) return { type: 'none' }
  const ownerProvider = PROVIDERS.find((known) => known === `PROVIDER_${provider?.toUpperCase() ?? ''}`)
  try {
    const address: AgentAddress = {
      ...parseAgentName(parent),
      ...(account !== undefined && { account }),
      ...(ownerProvider !== undefined && { ownerProvider }),
    }
    return { type: 'parent', address, name: formatAgentName(address) }
  } catch (error) {
    return { type: 'unreadable', problem: error instanceof Error ? error.message : String(error) }
  }
}
