import type { AgentId, Permissions } from '@skein/client'
import type { SignedIn } from './identity.ts'

type Owner = Pick<AgentId, 'ownerProvider' | 'account' | 'workspace'>

/** For one agent: canDriveAgent. */
export function canDrive({ permissions }: Permissions): boolean {
  return permissions.includes('agent.drive')
}

/** In a workspace of one of the caller's teams, its role in the team counts too. */
function teamOf({ workspaces }: Permissions, { workspace }: Owner) {
  return workspaces.find((there) => there.workspace === workspace)
}

/** Members can drive their own agents; admins, operators and leads of the team everyone's. */
export function canDriveAgent(identity: SignedIn, owner: Owner): boolean {
  const permissions = teamOf(identity, owner)?.permissions ?? identity.permissions
  if (permissions.includes('agent.drive-any')) return true
  const isOwn = owner.ownerProvider === identity.ownerProvider && owner.account === identity.account
  return permissions.includes('agent.drive') && isOwn
}

/** Explains who can drive the agent. `act` is for example `write to this agent`. */
export function explainNoDrive(identity: SignedIn, owner: Owner, act: string): string {
  if (!canDrive(identity)) return `Your role is read-only: you cannot ${act}.`
  const there = teamOf(identity, owner)
  if (there && !there.permissions.includes('agent.drive'))
    return `Your role in the team ${there.team} is read-only: you cannot ${act}.`
  return `Only ${owner.account} and admins can ${act}.`
}
