import { formatTimestamp, type InvitationEntry } from '@skein/contract'
import { INVITATION_ROLES, type InvitationState } from '@skein/contract/facts'
import type { InvitationRecord } from '@skein/store'

export function toInvitation(record: InvitationRecord, now: number): InvitationEntry {
  const { id, team, description, createdBy, createdAt, expiresAt, account, email } = record
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
    email,
    ...mailOf(record, now),
  }
}

function mailOf(record: InvitationRecord, now: number): Pick<InvitationEntry, 'mailState' | 'mailError'> {
  const { email, mailSentAt, mailDueAt, mailError } = record
  if (email === '') return { mailState: 'none', mailError: '' }
  if (mailSentAt !== undefined) return { mailState: 'sent', mailError: '' }
  if (mailDueAt === undefined) return { mailState: 'failed', mailError }
  return stateOf(record, now) === 'open'
    ? { mailState: 'waiting', mailError }
    : { mailState: 'failed', mailError: 'The invitation ended before it was sent.' }
}

export function invitationUrl(publicUrl: string, code: string): string {
  return new URL(`invitation#${code}`, `${publicUrl.replace(/\/+$/, '')}/`).href
}

/** Bound to the sealed code. */
export function invitationPlace(tenantId: string, id: string): string {
  return `${tenantId}/invitation/${id}`
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
