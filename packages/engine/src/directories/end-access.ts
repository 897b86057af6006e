import { ScimError } from '@skein/core'
import {
  dropSignInLinks,
  InvitationStore,
  KeyStore,
  LeaverStore,
  PersonGrantStore,
  PersonLinkStore,
  SessionEndStore,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { recordAudit } from '../audit/record-audit.ts'
import type { ChangingDirectory } from './open-directory.ts'

/**
 * Ends what the person of a user can act with: sessions of browsers and command lines, keys, share links. In the same
 * transaction as the change of the user. Likewise for accounts that the person linked. What takes longer is left to the
 * leaver's row.
 */
export async function endAccess(changing: ChangingDirectory, userId: string): Promise<void> {
  const { transaction, people, request, name, directory, at } = changing
  const leaving = await people.deactivate(userId, at)
  const listed = await people.findListed([userId])
  const linked = await new PersonLinkStore(transaction).linkedToListed(userId)
  const linkedOwners = linked.map(({ ownerProvider, account }) => ({ ownerProvider, account }))
  const owners = [...listed, ...linkedOwners]
  await requireOtherAdmins(changing, owners)
  await new SessionEndStore(transaction).revokeOfAccounts(owners, at)
  for (const owner of owners) {
    await dropSignInLinks(transaction, owner)
    await new InvitationStore(transaction).endOfAccount(owner.account, at)
    const revoked = await new KeyStore(transaction).revokeOfAccount(owner, at)
    // Said again: only what they got meanwhile is news.
    const isLeaving = linkedOwners.includes(owner)
      ? leaving.length > 0
      : leaving.some(({ account }) => account === owner.account)
    if (revoked === 0 && !isLeaving) continue
    const leaver = { id: uuidV7(), directory: name, ...owner, agents: directory.leaversAgents, leftAt: at }
    await new LeaverStore(transaction).add(leaver)
    await recordAudit(transaction, request, {
      operation: 'endAccess',
      kind: 'account',
      name: owner.account,
      at,
    })
  }
  // Agents that go on in a team's workspace must not go on as the person.
  const keyIds = linked.map(({ keyId }) => keyId)
  await new PersonGrantStore(transaction).letGo(keyIds, at)
}

/** A mistake in a directory must not leave a tenant that nobody can administer. */
export async function requireOtherAdmins(
  { transaction, at }: ChangingDirectory,
  owners: Parameters<KeyStore['areLastAdmins']>[0],
): Promise<void> {
  if (owners.length === 0) return
  if (!(await new KeyStore(transaction).areLastAdmins(owners, at))) return
  throw new ScimError(
    409,
    'This would leave the tenant without an admin. Create an admin key for another account, such as break-glass, and try again.',
  )
}
