import { SkeinError } from '@skein/contract'
import { changesListing, endsSessions, isOtherHost, type Document, type ResourceRef } from '@skein/core'
import { CatalogStore, OrganizationPinStore, SessionEndStore, type Transaction } from '@skein/store'
import { findCodeHost } from './find-code-host.ts'

/** People cannot sign in with GitLab yet, so no provider may refer to it. The caller has locked what is referred to. */
export async function refuseSignIn(
  transaction: Transaction,
  ref: ResourceRef,
  { codeHost, type }: Document,
): Promise<void> {
  if (ref.kind === 'identity-provider' && typeof codeHost === 'string' && codeHost !== '') {
    const host = await findCodeHost(transaction, codeHost)
    if (host?.type === 'gitlab') throw noSignIn('codeHost', `${codeHost} is a GitLab`)
  }
  if (ref.kind === 'code-host' && type === 'gitlab') {
    const referrers = await new CatalogStore(transaction).referrers(ref)
    const provider = referrers.find(({ kind }) => kind === 'identity-provider')
    if (provider) throw noSignIn('type', `the identity provider ${provider.name} refers to it`)
  }
}

function noSignIn(field: string, why: string): SkeinError {
  const description = `people cannot sign in with GitLab, and ${why}`
  return new SkeinError('DOCUMENT_INVALID', {
    message: `The document is not valid: ${field} ${description}.`,
    violations: [{ field, description }],
  })
}

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
