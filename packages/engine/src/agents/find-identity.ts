import { SkeinError, specified, type AgentIdInput, type FieldViolation } from '@skein/contract'
import {
  agentKey,
  fillTenant,
  isAllowed,
  isWithin,
  requireDepth,
  type AgentIdentity,
  type AgentState,
  type Caller,
} from '@skein/core'
import { resolveTenant } from '../access/resolve-tenant.ts'
import type { EngineResources } from '../resources.ts'

/** An agent that a request names, with everything filled in that the caller left out. */
export interface AgentTarget {
  readonly tenantId: string
  readonly tenant: Caller['tenant']
  readonly identity: AgentIdentity
  /** The only life of the agent that the caller may see; absent for callers who may see all. */
  readonly incarnation?: number
}

export function agentNotFound(): SkeinError {
  return new SkeinError('AGENT_NOT_FOUND')
}

/** For every operation but spawn: workspace and path must be there. `field` is where the request has the id. */
export async function findTarget(
  engine: EngineResources,
  caller: Caller,
  agentId: AgentIdInput,
  field = 'agentId',
): Promise<AgentTarget> {
  const { workspace = '', agent = [] } = agentId
  const violations: FieldViolation[] = []
  if (workspace === '') violations.push({ field: `${field}.workspace`, description: 'required' })
  if (agent.length === 0) violations.push({ field: `${field}.agent`, description: 'required' })
  if (violations.length > 0) {
    throw new SkeinError('REQUEST_INVALID', { message: 'The request does not name an agent.', violations })
  }
  const tenantId = await resolveTenant(engine, caller, agentId.tenant, agentNotFound, {
    kind: 'agent',
    name: [workspace, ...agent].join('/'),
  })
  const identity = { ...ownerOf(caller, agentId), workspace, path: agent }
  requireDepth(identity, field)
  requireWithin(caller, identity)
  return {
    tenantId,
    tenant: tenantOf(caller, agentId),
    identity,
    ...(caller.incarnation !== undefined && { incarnation: caller.incarnation }),
  }
}

/** For the key of a run, what is outside of its agent's subtree does not exist; for a guest, any other agent. */
export function requireWithin({ role, within }: Caller, identity: AgentIdentity): void {
  if (!within) return
  const isSeen = role === 'guest' ? agentKey(identity) === agentKey(within) : isWithin(identity, within)
  if (!isSeen) throw agentNotFound()
}

/** Asked of what was read, not before: the next life may begin between a check and a read. */
export function isVisible(
  agent: AgentState | undefined,
  { incarnation }: Pick<AgentTarget, 'incarnation'>,
): agent is AgentState {
  return agent !== undefined && (incarnation === undefined || agent.incarnation === incarnation)
}

/** What is left out comes from the caller; what is given is taken as it was sent. */
export function ownerOf(
  caller: Caller,
  { account = '', ownerProvider }: AgentIdInput,
): Pick<AgentIdentity, 'account' | 'ownerProvider'> {
  return {
    account: account === '' ? caller.account : account,
    ownerProvider: specified(ownerProvider) ?? caller.ownerProvider,
  }
}

export function tenantOf(caller: Caller, { tenant }: AgentIdInput): Caller['tenant'] {
  return fillTenant(caller, tenant)
}

/** With the permission `agent.drive` a caller drives its own agents, with `agent.drive-any` every agent of the tenant. */
export function requireDriver(caller: Caller, { account, ownerProvider }: AgentIdentity): void {
  if (isAllowed(caller.role, 'agent.drive-any')) return
  if (caller.account === account && caller.ownerProvider === ownerProvider) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: `The role ${caller.role} drives only its own agents.`,
    metadata: { permission: 'agent.drive-any', role: caller.role },
  })
}
