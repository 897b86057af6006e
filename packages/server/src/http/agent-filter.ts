import { SkeinError, specified, type AgentIdInput, type Phase, type TenantInput } from '@skein/contract'
import { PROVIDER_NAMES, providerNamed } from '@skein/contract/facts'
import { agentKey, listedWorkspaces, parseLabelSelector, type Caller } from '@skein/core'
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
type Target = Awaited<ReturnType<typeof findTarget>>

interface FilterRequest {
  readonly parentId?: AgentIdInput
  readonly account?: string
  readonly includeTerminal?: boolean
  readonly tenant?: TenantInput
  readonly labelSelector?: string
  readonly phases?: readonly Phase[]
}

/** The agent below which a filter looks, if any, and the tenant it looks in. */
export async function readScope(
  engine: EngineResources,
  caller: Caller,
  { id, tenant: asked }: { readonly id: AgentIdInput | undefined; readonly tenant: TenantInput | undefined },
  field: string,
): Promise<{ above: Target | undefined; tenant: ListedTenant }> {
  const named = asked && { tenant: asked }
  const above = id && (await findTarget(engine, caller, { ...id, ...named }, field))
  if (above) await findAgent(engine, above)
  const tenantId = above?.tenantId ?? (await resolveTenant(engine, caller, asked))
  return { above, tenant: { tenantId, tenant: above?.tenant ?? tenantOf(caller, { ...named }) } }
}

/** What every filter can ask of the agents themselves. */
export function readTraits({
  includeTerminal = false,
  labelSelector = '',
  phases: asked = [],
}: Pick<FilterRequest, 'includeTerminal' | 'labelSelector' | 'phases'>): Pick<
  Filter,
  'includeTerminal' | 'labels' | 'phases'
> {
  const phases = asked.flatMap((phase) => specified(phase) ?? [])
  return {
    includeTerminal,
    phases: phases.length > 0 ? phases : undefined,
    labels: parseLabelSelector(labelSelector),
  }
}

/** The filter of a list, or of watching it. */
export async function readAgentFilter(
  engine: EngineResources,
  caller: Caller,
  request: FilterRequest,
): Promise<{ tenant: ListedTenant; filter: Filter }> {
  // A run that names no parent asks for its own children.
  const id = request.parentId ?? ownId(caller)
  const { above: parent, tenant } = await readScope(
    engine,
    caller,
    { id, tenant: request.tenant },
    'parentId',
  )
  return {
    tenant,
    filter: {
      ...readTraits(request),
      workspaces: parent ? undefined : listedWorkspaces(caller),
      parentKey: parent ? agentKey(parent.identity) : '',
      // Children are listed regardless of their owner, because they belong to their parent.
      owner: parent && (request.account ?? '') === '' ? undefined : readOwner(caller, request.account ?? ''),
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
