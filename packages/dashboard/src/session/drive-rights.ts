import type { AgentId, Identity } from '@skein/client'

type Owner = Pick<AgentId, 'ownerProvider' | 'account'>

/** Members drive their own agents; admins and operators everybody's. */
export function canDriveAgent({ role, ownerProvider, account }: Identity, owner: Owner): boolean {
  if (role === 'admin' || role === 'operator') return true
  return role === 'member' && owner.ownerProvider === ownerProvider && owner.account === account
}

/** Says to somebody who cannot drive the agent why, and who can. `act` is such as `write to this agent`. */
export function explainNoDrive({ role }: Identity, owner: Owner, act: string): string {
  return role === 'member'
    ? `Only ${owner.account} and admins can ${act}.`
    : `Your role is read-only: you cannot ${act}.`
}
