import { changesListing, endsSessions, isOtherHost, type Document, type ResourceRef } from '@skein/core'
import { CatalogStore, OrganizationPinStore, SessionEndStore, type Transaction } from '@skein/store'

/** Ends the sessions of people whose provider, or the code host behind it, is no longer what they signed in with. */
export async function endSessionsOf(
  transaction: Transaction,
  ref: ResourceRef,
  {
    before,
    document,
    at,
  }: { readonly before: Document | undefined; readonly document: Document; readonly at: number },
): Promise<void> {
  const sessions = new SessionEndStore(transaction)
  if (ref.kind === 'directory' && changesListing(before, document)) {
    await sessions.revokeOfProviders([ref.name], at)
  }
  if (ref.kind === 'identity-provider' && endsSessions(before, document)) {
    await sessions.revokeOfProviders([ref.name], at)
    // A name that an admin removes and adds again may mean another organization.
    const { organizations } = document
    const names = Array.isArray(organizations) ? organizations.map((name) => String(name).toLowerCase()) : []
    await new OrganizationPinStore(transaction).keep(ref.name, names)
  }
  if (ref.kind !== 'code-host' || !isOtherHost(before, document)) return
  const referrers = await new CatalogStore(transaction).referrers(ref)
  const providers = referrers.filter(({ kind }) => kind === 'identity-provider')
  await sessions.revokeOfProviders(
    providers.map(({ name }) => name),
    at,
  )
}
