import { SkeinError } from '@skein/contract'
import { agentKey, isWithin, type AgentIdentity, type AgentState } from '../agent/state.ts'
import type { Caller } from './caller.ts'
import { isAllowed } from './policy.ts'

/** Callers get the same answer for agents that don't exist and agents they may not see. */
export function agentNotFound(): SkeinError {
  return new SkeinError('AGENT_NOT_FOUND')
}

/** A run key sees only its agent's subtree, a guest only its one agent. Everything else is "not found". */
export function requireVisible({ role, within }: Caller, identity: AgentIdentity): void {
  if (!within) return
  const isSeen = role === 'guest' ? agentKey(identity) === agentKey(within) : isWithin(identity, within)
  if (!isSeen) throw agentNotFound()
}

/** Check the agent that was read, not before reading it: a new incarnation may start in between. */
export function isVisible(
  agent: AgentState | undefined,
  { incarnation }: Pick<Caller, 'incarnation'>,
): agent is AgentState {
  return agent !== undefined && (incarnation === undefined || agent.incarnation === incarnation)
}

/** `agent.drive` lets a caller drive its own agents, `agent.drive-any` every agent of the tenant. */
export function requireDriver(caller: Caller, { account, ownerProvider }: AgentIdentity): void {
  if (isAllowed(caller.role, 'agent.drive-any')) return
  if (caller.account === account && caller.ownerProvider === ownerProvider) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: `The role ${caller.role} can drive only its own agents.`,
    metadata: { permission: 'agent.drive-any', role: caller.role },
  })
}

/** An agent cannot raise its own budget or its children's: only a caller outside the tree can. */
export function requireBudgetSetter({ role }: Caller): void {
  if (role !== 'run') return
  throw new SkeinError('PERMISSION_MISSING', {
    message: 'An agent cannot change budgets.',
    metadata: { permission: 'agent.drive', role },
  })
}
