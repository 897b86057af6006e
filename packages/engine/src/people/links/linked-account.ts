import { formatTimestamp, type IdentityProviderDocument, type LinkedAccount } from '@skein/contract'
import type { LinkedPerson } from '@skein/store'

/** As the person sees it. Without a document, its provider is gone or paused. */
export function toLinkedAccount(
  { identityProvider, ownerProvider, account, linkedAt, hasGrant }: LinkedPerson,
  document: IdentityProviderDocument | undefined,
): LinkedAccount {
  return {
    identityProvider,
    title: document?.title ?? identityProvider,
    ownerProvider,
    account,
    linkTime: linkedAt === undefined ? '' : formatTimestamp(linkedAt),
    opensPullRequests: hasGrant && document?.opensPullRequests === true,
  }
}
