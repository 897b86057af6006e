import type { AgentId } from '@skein/client'
import { canDrive, type SignedIn } from './identity.ts'

type Owner = Pick<AgentId, 'ownerProvider' | 'account'>

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
