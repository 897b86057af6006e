/** Who is signed in: a browser, or a command line that a person confirmed in one. */
export const SESSION_KINDS = ['browser', 'command-line'] as const
export type SessionKind = (typeof SESSION_KINDS)[number]

/** Begins the state of a sign-in that links an account, so that the page to which it leads knows. */
export const LINK_STATE_PREFIX = 'link.'

/** Consonants, without those that are taken for another: no words, nothing to misread. */
export const LOGIN_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
export const LOGIN_CODE_LENGTH = 8

const FORM = new RegExp(`^[${LOGIN_CODE_LETTERS}]{${LOGIN_CODE_LENGTH}}$`)

/** As a person typed it: in small letters, with spaces or a hyphen. Undefined if it cannot be a code. */
export function parseLoginCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return FORM.test(code) ? code : undefined
}

/** In two groups, which are easier to compare. */
export function formatLoginCode(code: string): string {
  return `${code.slice(0, LOGIN_CODE_LENGTH / 2)}-${code.slice(LOGIN_CODE_LENGTH / 2)}`
}
