import { SkeinError } from '@skein/contract'
import { agentKey, isWithin, type AgentIdentity, type AgentState } from '../agent/state.ts'
import type { Caller } from './caller.ts'
import { isAllowed } from './policy.ts'

/** What a caller may not see is answered exactly as if it did not exist. */
export function agentNotFound(): SkeinError {
  return new SkeinError('AGENT_NOT_FOUND')
}

/** For the key of a run, what is outside of its agent's subtree does not exist; for a guest, any other agent. */
export function requireVisible({ role, within }: Caller, identity: AgentIdentity): void {
  if (!within) return
  const isSeen = role === 'guest' ? agentKey(identity) === agentKey(within) : isWithin(identity, within)
  if (!isSeen) throw agentNotFound()
}

/** Asked of what was read, not before: the next life may begin between a check and a read. */
export function isVisible(
  agent: AgentState | undefined,
  { incarnation }: Pick<Caller, 'incarnation'>,
): agent is AgentState {
  return agent !== undefined && (incarnation === undefined || agent.incarnation === incarnation)
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

/** An agent cannot give itself or its children money: only someone outside of the tree can. */
export function requireBudgetSetter({ role }: Caller): void {
  if (role !== 'run') return
  throw new SkeinError('PERMISSION_MISSING', {
    message: 'An agent cannot change budgets.',
    metadata: { permission: 'agent.drive', role },
  })
}
