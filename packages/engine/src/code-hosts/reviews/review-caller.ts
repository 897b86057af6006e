import type { Tenant } from '@skein/contract'
import type { AgentState, Caller } from '@skein/core'
import { v7 as uuidV7 } from 'uuid'
import type { CommandContext } from '../../commands/command.ts'

/** As the owner of the agent: the review loop may do what its owner may. */
export function ownerContext(
  { tenantId, name }: { readonly tenantId: string; readonly name: string },
  tenant: Tenant,
  { identity }: AgentState,
): CommandContext {
  const caller: Caller = {
    tenantId,
    tenant,
    ownerProvider: identity.ownerProvider,
    account: identity.account,
    role: 'member',
    token: `pull-request/${name}`,
    pools: [],
    servesAllTenants: false,
  }
  return { caller, tenantId, requestId: `review-${uuidV7()}` }
}
