import type { AgentId, Identity } from '@skein/client'

type Owner = Pick<AgentId, 'ownerProvider' | 'account'>

/** Members can drive their own agents, admins and operators everyone's. */
export function canDriveAgent({ role, ownerProvider, account }: Identity, owner: Owner): boolean {
  if (role === 'admin' || role === 'operator') return true
  return role === 'member' && owner.ownerProvider === ownerProvider && owner.account === account
}

/** Explains who can drive the agent. `act` is for example `write to this agent`. */
export function explainNoDrive({ role }: Identity, owner: Owner, act: string): string {
  return role === 'member'
    ? `Only ${owner.account} and admins can ${act}.`
    : `Your role is read-only: you cannot ${act}.`
}
