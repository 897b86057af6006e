import { endsSessions, isOtherHost, type Document, type ResourceRef } from '@skein/core'
import { BrowserSessionStore, CatalogStore, type Transaction } from '@skein/store'

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
  const sessions = new BrowserSessionStore(transaction)
  if (ref.kind === 'identity-provider' && endsSessions(before, document)) {
    await sessions.revokeOfProvider(ref.name, at)
  }
  if (ref.kind !== 'code-host' || !isOtherHost(before, document)) return
  for (const { kind, name } of await new CatalogStore(transaction).referrers(ref)) {
    if (kind === 'identity-provider') await sessions.revokeOfProvider(name, at)
  }
}
