import {
  SkeinError,
  type AgentIdInput,
  type listFleetPullRequests as operation,
  type ResponseOf,
} from '@skein/contract'
import { agentKey, isInReach, type AgentIdentity, type Caller } from '@skein/core'
import { PullRequestStore } from '@skein/store'
import { resolveTenant } from '../access/resolve-tenant.ts'
import { toAgentId } from '../agents/describe-agent.ts'
import { identityOf, tenantOf } from '../agents/find-identity.ts'
import { toAgentPullRequest } from './list-agent-pull-requests.ts'
import type { EngineResources } from '../resources.ts'

/** One pull request of each agent that has any and that the caller may see. */
export async function listFleetPullRequests(
  engine: EngineResources,
  caller: Caller,
  agentIds: readonly AgentIdInput[],
): Promise<ResponseOf<typeof operation>> {
  const identities = new Map<string, AgentIdentity>()
  for (const [index, agentId] of agentIds.entries()) {
    const identity = identityOf(caller, agentId, `agentIds[${index}]`)
    if (isInReach(caller, identity)) identities.set(agentKey(identity), identity)
  }
  const tenant = requireOneTenant(caller, agentIds)
  const tenantId = await resolveTenant(engine, caller, tenant)
  const found = await engine.database.readForTenant(tenantId, (transaction) =>
    new PullRequestStore(transaction).chiefOfEach([...identities.keys()]),
  )
  return {
    agents: found.flatMap(({ agentKey: key, record, openCount }) => {
      const identity = identities.get(key)
      if (!identity) return []
      return [{ agentId: toAgentId(identity, tenant), pullRequest: toAgentPullRequest(record), openCount }]
    }),
  }
}

function requireOneTenant(caller: Caller, agentIds: readonly AgentIdInput[]): Caller['tenant'] {
  const [first = caller.tenant, ...others] = agentIds.map((agentId) => tenantOf(caller, agentId))
  if (others.every(({ provider, org }) => provider === first.provider && org === first.org)) return first
  throw new SkeinError('REQUEST_INVALID', {
    message: 'The request names agents of several tenants: ask for each tenant’s.',
    violations: [{ field: 'agentIds', description: 'must be of one tenant' }],
  })
}
