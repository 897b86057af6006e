import { formatTimestamp, SkeinError, type InvitationEntry, type Tenant } from '@skein/contract'
import { findInvitation, findOwnTenant, InvitationStore, type InvitationRecord } from '@skein/store'
import { hashSecret } from '../access/keys.ts'
import { chargeAttempt, forgiveAttempt } from '../access/sign-in-limit.ts'
import type { EngineResources } from '../resources.ts'
import { invitedRole } from './to-invitation.ts'

export const invitationNotFound = () => new SkeinError('INVITATION_NOT_FOUND')

/** Which invitation a code stands for. The tenant is known only by it. */
export async function requireInvitation(
  { database, clock }: EngineResources,
  code: string,
): Promise<{ readonly tenantId: string; readonly id: string }> {
  const found = await database.statement((transaction) =>
    findInvitation(transaction, hashSecret(code), clock.now()),
  )
  if (!found) throw invitationNotFound()
  return found
}

interface ShownInvitation {
  readonly tenant: Tenant
  readonly role: InvitationEntry['role']
  readonly team: string
  readonly invitedBy: string
  readonly expireTime: string
}

/** What a person is invited to. Reading it changes nothing: mail programs open links. */
export async function readInvitation(
  engine: EngineResources,
  { code, address }: { readonly code: string; readonly address: string },
): Promise<ShownInvitation> {
  const attempt = { address, keyId: undefined }
  await chargeAttempt(engine, attempt)
  const { tenantId, id } = await requireInvitation(engine, code)
  const { record, tenant } = await engine.database.forTenant(tenantId, async (transaction) => ({
    record: await new InvitationStore(transaction).find(id),
    tenant: await findOwnTenant(transaction),
  }))
  if (!record) throw invitationNotFound()
  await forgiveAttempt(engine, attempt)
  return toShown(record, tenant)
}

function toShown(record: InvitationRecord, tenant: Tenant): ShownInvitation {
  return {
    tenant,
    role: invitedRole(record),
    team: record.team,
    invitedBy: record.createdBy,
    expireTime: formatTimestamp(record.expiresAt),
  }
}
