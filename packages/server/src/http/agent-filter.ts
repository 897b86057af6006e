import { SkeinError, specified, type AgentIdInput, type Phase, type TenantInput } from '@skein/contract'
import { PROVIDER_NAMES, providerNamed } from '@skein/contract/facts'
import { agentKey, parseLabelSelector, type Caller } from '@skein/core'
import {
  findAgent,
  findTarget,
  resolveTenant,
  tenantOf,
  type EngineResources,
  type listAgents,
} from '@skein/engine'

type Filter = Parameters<typeof listAgents>[2]
type ListedTenant = Parameters<typeof listAgents>[1]

interface FilterRequest {
  readonly parentId?: AgentIdInput
  readonly account?: string
  readonly includeTerminal?: boolean
  readonly tenant?: TenantInput
  readonly labelSelector?: string
  readonly phases?: readonly Phase[]
}

/** The filter of a list, or of watching it. */
export async function readAgentFilter(
  engine: EngineResources,
  caller: Caller,
  request: FilterRequest,
): Promise<{ tenant: ListedTenant; filter: Filter }> {
  const { tenant: asked } = request
  // A run that names no parent asks for its own children.
  const parentId = request.parentId ?? ownId(caller)
  const parent =
    parentId &&
    (await findTarget(engine, caller, { ...parentId, ...(asked && { tenant: asked }) }, 'parentId'))
  if (parent) await findAgent(engine, parent)
  const tenantId = parent?.tenantId ?? (await resolveTenant(engine, caller, asked))
  const phases = request.phases?.flatMap((phase) => specified(phase) ?? [])
  return {
    tenant: { tenantId, tenant: parent?.tenant ?? tenantOf(caller, { ...(asked && { tenant: asked }) }) },
    filter: {
      parentKey: parent ? agentKey(parent.identity) : '',
      // Children are listed whoever owns them, because they belong to their parent.
      owner: parent && (request.account ?? '') === '' ? undefined : readOwner(caller, request.account ?? ''),
      includeTerminal: request.includeTerminal ?? false,
      phases: phases && phases.length > 0 ? phases : undefined,
      labels: parseLabelSelector(request.labelSelector ?? ''),
    },
  }
}

export function ownId({ within }: Caller): AgentIdInput | undefined {
  return within && { workspace: within.workspace, agent: [...within.path] }
}

/**
 * Empty: the caller's own. `*`: everyone's. A name: with the caller's provider. `provider/name`: with that provider.
 */
export function readOwner(caller: Caller, account: string): Filter['owner'] {
  if (account === '*') return undefined
  if (account === '') return { provider: caller.ownerProvider, account: caller.account }
  const slash = account.indexOf('/')
  if (slash === -1) return { provider: caller.ownerProvider, account }
  const provider = providerNamed(account.slice(0, slash))
  if (provider) return { provider, account: account.slice(slash + 1) }
  throw invalid('account', `the provider must be one of ${PROVIDER_NAMES.join(', ')}`)
}

function invalid(field: string, description: string): SkeinError {
  return new SkeinError('REQUEST_INVALID', {
    message: `The request is not valid: ${field}: ${description}.`,
    violations: [{ field, description }],
  })
}
