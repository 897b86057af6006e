const NAME = 'skein-page-secret'

/** Without local storage, it lasts as long as the page. */
let ofThisPage: string | undefined

/**
 * The secret that must accompany the session cookie. Browsers send the cookie to every port of the host. This secret
 * stays within our origin, including the port, and is shared by its tabs. It is useless without the cookie, which
 * scripts cannot read.
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

/** After signing out, the next sign-in gets a new one. */
export function forgetPageSecret(): void {
  ofThisPage = undefined
  try {
    localStorage.removeItem(NAME)
  } catch {
    // Nothing was stored.
  }
}

function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
