import type { DirectoryDocument, IdentityProviderDocument } from '@skein/contract'
import {
  decideListed,
  decidePerson,
  directoryValue,
  listedValue,
  type Document,
  type ListedDecision,
} from '@skein/core'
import {
  DirectoryUserStore,
  PersonStore,
  type DirectoryUser,
  type Listing,
  type PersonRef,
  type Transaction,
  findDirectoryList,
} from '@skein/store'
import { findDirectory } from './find-directory.ts'

interface DecidedSignIn {
  readonly decision: ListedDecision
  readonly listed: Listing
}

/** Who a person is in the tenant, by the claims of their identity provider and by its directory, if it has one. */
export async function decideSignIn(
  transaction: Transaction,
  provider: IdentityProviderDocument,
  ref: PersonRef,
  claims: Document,
): Promise<DecidedSignIn> {
  const people = new PersonStore(transaction)
  // Before anything is read: someone whom the directory ends at this moment must not get in afterwards.
  await people.lock()
  const known = await people.find(ref)
  const directory = await findDirectory(transaction, ref.identityProvider)
  const value = directory ? listedValue(directory, directoryValue(directory, claims)) : ''
  const users = new DirectoryUserStore(
    transaction,
    await findDirectoryList(transaction, ref.identityProvider),
  )
  const user = directory && (await findUser(users, directory, value))
  if (directory && user?.active === true) {
    const groups = await users.groupsOf(user.id)
    const { groupsClaim } = directory
    const decision = decideListed(provider, claims, { groupsClaim, groups })
    return { decision, listed: { userId: user.id, value } }
  }
  if (user || known?.isDeactivated) return refuse('Your account has been deactivated.')
  if (directory?.onlyListed) return refuse('Your organization has not given you access.')
  const decision = decidePerson(provider, claims)
  return {
    decision: decision.type === 'allowed' ? { ...decision, directoryTeams: {} } : decision,
    listed: value === '' ? {} : { value },
  }
}

async function findUser(
  users: DirectoryUserStore,
  { userAttribute }: DirectoryDocument,
  value: string,
): Promise<DirectoryUser | undefined> {
  if (value === '') return undefined
  return userAttribute === 'userName' ? users.findByName(value) : users.findByExternalId(value)
}

function refuse(because: string): DecidedSignIn {
  return { decision: { type: 'refused', because }, listed: {} }
}
