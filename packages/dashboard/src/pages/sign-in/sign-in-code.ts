import { SIGN_IN_CODE_PREFIX } from '@skein/contract/facts'

const FORM = new RegExp(`^#(${SIGN_IN_CODE_PREFIX}[A-Za-z0-9_-]{43})$`)

/** The code of a sign-in link, from the URL's fragment. Undefined if there is none. */
export function readSignInCode(hash: string): string | undefined {
  return FORM.exec(hash)?.[1]
}

/** It works only once, so it is harmless in the history, but a dead URL should not be bookmarked. */
export function hideSignInCode({ location, history }: Window): void {
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
}
