import { SkeinError } from '@skein/contract'
import { agentKey, isWithin, type AgentIdentity, type AgentState } from '../agent/state.ts'
import type { Caller } from './caller.ts'
import { accessTo, teamOfWorkspace } from './teams.ts'

/** Callers get the same answer for agents that don't exist and agents they may not see. */
export function agentNotFound(): SkeinError {
  return new SkeinError('AGENT_NOT_FOUND')
}

/** A run key sees only its agent's subtree, a guest only its one agent. */
export function isInReach({ role, within }: Caller, identity: AgentIdentity): boolean {
  if (!within) return true
  return role === 'guest' ? agentKey(identity) === agentKey(within) : isWithin(identity, within)
}

/** Everything else is "not found". */
export function requireVisible(caller: Caller, identity: AgentIdentity): void {
  if (!isInReach(caller, identity)) throw agentNotFound()
}

/** Check the agent that was read, not before reading it: a new incarnation may start in between. */
export function isVisible(
  agent: AgentState | undefined,
  { incarnation }: Pick<Caller, 'incarnation'>,
): agent is AgentState {
  return agent !== undefined && (incarnation === undefined || agent.incarnation === incarnation)
}

/** `agent.drive` lets a caller drive its own agents, `agent.drive-any` every agent of the tenant or the team. */
export function requireDriver(caller: Caller, { account, ownerProvider, workspace }: AgentIdentity): void {
  const team = teamOfWorkspace(caller, workspace)
  if (accessTo(caller, team, 'agent.drive-any') === 'allow') return
  if (accessTo(caller, team, 'agent.drive') !== 'allow') throw cannotDriveIn(caller, team)
  if (caller.account === account && caller.ownerProvider === ownerProvider) return
  throw new SkeinError('PERMISSION_MISSING', {
    message: `The role ${caller.role} can drive only its own agents.`,
    metadata: { permission: 'agent.drive-any', role: caller.role },
  })
}

function cannotDriveIn({ role, teams }: Caller, team: string): SkeinError {
  const roleThere = teams?.roles.get(team)
  const which = roleThere === undefined ? `The role ${role}` : `The role ${roleThere} in the team ${team}`
  return new SkeinError('PERMISSION_MISSING', {
    message: `${which} does not have the permission agent.drive.`,
    metadata: { permission: 'agent.drive', role },
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
