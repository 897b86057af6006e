/** So many accounts one person can link. */
const MAX_LINKED_ACCOUNTS = 10

interface LinkableAccount {
  readonly identityProvider: string
  readonly ownerProvider: string
  readonly account: string
  /** The same for all accounts of one person. */
  readonly linkId: string | undefined
}

type LinkDecision =
  | { readonly type: 'linked' }
  /** They are linked already. */
  | { readonly type: 'unchanged' }
  | { readonly type: 'refused'; readonly because: string }

/**
 * Whether an account can be linked to a person's, of which `members` are all. One account of each identity provider, so
 * that it is clear which one is meant.
 */
export function decideLink(
  own: LinkableAccount,
  other: LinkableAccount,
  members: readonly LinkableAccount[],
): LinkDecision {
  const isOwn = own.ownerProvider === other.ownerProvider && own.account === other.account
  if (isOwn) return { type: 'refused', because: 'This is the account that you are signed in with.' }
  if (other.linkId !== undefined) {
    if (other.linkId === own.linkId) return { type: 'unchanged' }
    return {
      type: 'refused',
      because: `The account ${other.account} is linked to another account already. Sign in with it and unlink it first.`,
    }
  }
  const same = [own, ...members].find(({ identityProvider }) => identityProvider === other.identityProvider)
  if (same) {
    return {
      type: 'refused',
      because: `Your account ${same.account} is of the same identity provider. Only one of each can be linked.`,
    }
  }
  if (members.length >= MAX_LINKED_ACCOUNTS) {
    return { type: 'refused', because: `At most ${MAX_LINKED_ACCOUNTS} accounts can be linked.` }
  }
  return { type: 'linked' }
}
