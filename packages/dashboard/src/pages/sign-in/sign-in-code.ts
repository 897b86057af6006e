import { SIGN_IN_CODE_PREFIX } from '@skein/contract/facts'

const FORM = new RegExp(`^#(${SIGN_IN_CODE_PREFIX}[A-Za-z0-9_-]{43})$`)

/** The code of a sign-in link, in the fragment of the address. Undefined for an address without one. */
export function readSignInCode(hash: string): string | undefined {
  return FORM.exec(hash)?.[1]
}

/** It works once, so nobody gains by finding it in the history; but an address that is dead should not be bookmarked. */
export function hideSignInCode({ location, history }: Window): void {
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
}
