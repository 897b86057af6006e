import { formatTimestamp, type InvitationEntry } from '@skein/contract'
import { INVITATION_ROLES, type InvitationState } from '@skein/contract/facts'
import type { InvitationRecord } from '@skein/store'

export function toInvitation(record: InvitationRecord, now: number): InvitationEntry {
  const { id, team, description, createdBy, createdAt, expiresAt, account } = record
  return {
    id,
    role: invitedRole(record),
    team,
    description,
    createdBy,
    createTime: formatTimestamp(createdAt),
    expireTime: formatTimestamp(expiresAt),
    state: stateOf(record, now),
    account,
  }
}

export function invitedRole({ role }: Pick<InvitationRecord, 'role'>): InvitationEntry['role'] {
  const known = INVITATION_ROLES.find((each) => each === role)
  if (known === undefined) throw new Error(`Nobody is invited as ${role}`)
  return known
}

function stateOf({ endedAt, account, expiresAt }: InvitationRecord, now: number): InvitationState {
  if (account !== '') return 'accepted'
  if (endedAt !== undefined) return 'revoked'
  return expiresAt > now ? 'open' : 'expired'
}
