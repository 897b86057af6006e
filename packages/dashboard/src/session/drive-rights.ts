import type { AgentId, Permissions } from '@skein/client'
import type { SignedIn } from './identity.ts'

type Owner = Pick<AgentId, 'ownerProvider' | 'account'>

/** For one agent: canDriveAgent. */
export function canDrive({ permissions }: Permissions): boolean {
  return permissions.includes('agent.drive')
}

/** Members can drive their own agents, admins and operators everyone's. */
export function canDriveAgent(identity: SignedIn, owner: Owner): boolean {
  if (identity.permissions.includes('agent.drive-any')) return true
  const isOwn = owner.ownerProvider === identity.ownerProvider && owner.account === identity.account
  return canDrive(identity) && isOwn
}

/** Explains who can drive the agent. `act` is for example `write to this agent`. */
export function explainNoDrive(identity: SignedIn, owner: Owner, act: string): string {
  return canDrive(identity)
    ? `Only ${owner.account} and admins can ${act}.`
    : `Your role is read-only: you cannot ${act}.`
}
