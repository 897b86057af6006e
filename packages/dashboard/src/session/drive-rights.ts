import type { AgentId, Identity } from '@skein/client'
import { may } from './may.ts'

type Owner = Pick<AgentId, 'ownerProvider' | 'account'>

/** Members drive their own agents; admins and operators everybody's. */
export function canDriveAgent(identity: Identity, { ownerProvider, account }: Owner): boolean {
  if (may(identity, 'agent.drive-any')) return true
  const isOwn = ownerProvider === identity.ownerProvider && account === identity.account
  return isOwn && may(identity, 'agent.drive')
}

/** Says to somebody who cannot drive the agent why, and who can. `act` is such as `write to this agent`. */
export function explainNoDrive(identity: Identity, { account }: Owner, act: string): string {
  return may(identity, 'agent.drive')
    ? `Only ${account} and admins can ${act}.`
    : `Your role is read-only: you cannot ${act}.`
}
