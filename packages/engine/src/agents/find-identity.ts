import { SkeinError, specified, type AgentIdInput, type FieldViolation } from '@skein/contract'
import {
  agentNotFound,
  fillTenant,
  requireDepth,
  requireVisible,
  whereToLook,
  type AgentIdentity,
  type Caller,
} from '@skein/core'
import { resolveTenant } from '../access/resolve-tenant.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import type { EngineResources } from '../resources.ts'

/** For all operations except spawn: workspace and path are required. `field` is where the request has the id. */
export async function findTarget(
  engine: EngineResources,
  caller: Caller,
  agentId: AgentIdInput,
  field = 'agentId',
): Promise<AgentTarget> {
  const { workspace, agent } = requireNamed(agentId, field)
  const tenantId = await resolveTenant(engine, caller, agentId.tenant, agentNotFound, {
    kind: 'agent',
    name: [workspace, ...agent].join('/'),
  })
  const identity = identityOf(caller, agentId, field)
  requireVisible(caller, identity)
  return {
    tenantId,
    tenant: tenantOf(caller, agentId),
    identity,
    ...(caller.incarnation !== undefined && { incarnation: caller.incarnation }),
  }
}

/** Where the agent is, as far as the caller may look. */
export function identityOf(caller: Caller, agentId: AgentIdInput, field: string): AgentIdentity {
  const { workspace, agent } = requireNamed(agentId, field)
  const identity = { ...ownerOf(caller, agentId), workspace: whereToLook(caller, workspace), path: agent }
  requireDepth(identity, field)
  return identity
}

function requireNamed({ workspace = '', agent = [] }: AgentIdInput, field: string) {
  const violations: FieldViolation[] = []
  if (workspace === '') violations.push({ field: `${field}.workspace`, description: 'required' })
  if (agent.length === 0) violations.push({ field: `${field}.agent`, description: 'required' })
  if (violations.length > 0) {
    throw new SkeinError('REQUEST_INVALID', { message: 'The request does not name an agent.', violations })
  }
  return { workspace, agent }
}

/** Missing parts come from the caller. */
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
