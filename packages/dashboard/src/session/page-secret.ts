const NAME = 'skein-page-secret'

/** Where the browser keeps nothing for us, it lasts as long as the page. */
let ofThisPage: string | undefined

/**
 * What makes the session's cookie count. Browsers send that cookie to every port of the host; this is kept for our
 * own origin, port and all, and shared by its tabs. Without the cookie, which no script can read, it is worth nothing.
 */
export function readPageSecret(): string {
  try {
    const kept = localStorage.getItem(NAME)
    if (kept !== null) return kept
    const made = makeSecret()
    localStorage.setItem(NAME, made)
    return made
  } catch {
    return (ofThisPage ??= makeSecret())
  }
}

/** After a sign-out: whoever signs in next gets another. */
export function forgetPageSecret(): void {
  ofThisPage = undefined
  try {
    localStorage.removeItem(NAME)
  } catch {
    // Nothing was kept.
  }
}

function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
