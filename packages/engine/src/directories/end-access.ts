import { ScimError } from '@skein/core'
import { BrowserSessionStore, dropSignInLinks, KeyStore, LeaverStore } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { recordAudit } from '../audit/record-audit.ts'
import type { ChangingDirectory } from './open-directory.ts'

/** Of everybody who signs in with an identity provider. */
const OWNER_PROVIDER = 'PROVIDER_IDP_OIDC'

/**
 * Ends what the person of a user can act with: sessions of browsers and command lines, keys, share links. In the same
 * transaction as the change of the user. What takes longer is left to the leaver's row.
 */
export async function endAccess(changing: ChangingDirectory, userId: string): Promise<void> {
  const { transaction, people, request, name, directory, at } = changing
  const accounts = await people.deactivate(userId, at)
  await requireOtherAdmins(changing, accounts)
  for (const account of accounts) {
    const owner = { ownerProvider: OWNER_PROVIDER, account }
    await new BrowserSessionStore(transaction).revokeOfAccount(owner, at)
    await dropSignInLinks(transaction, owner)
    await new KeyStore(transaction).revokeOfAccount(owner, at)
    const leaver = { id: uuidV7(), directory: name, ...owner, agents: directory.leaversAgents, leftAt: at }
    await new LeaverStore(transaction).add(leaver)
    await recordAudit(transaction, request, { operation: 'endAccess', kind: 'account', name: account, at })
  }
}

/** A mistake in a directory must not leave a tenant that nobody can administer. */
export async function requireOtherAdmins(
  { transaction, at }: ChangingDirectory,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return
  if (!(await new KeyStore(transaction).areLastAdmins(OWNER_PROVIDER, accounts, at))) return
  throw new ScimError(
    409,
    'Nobody else can administer the tenant. Create an admin key for another account, such as break-glass, and try again.',
  )
}
