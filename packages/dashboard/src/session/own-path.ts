/** Browsers drop these characters before parsing a URL, so `/<tab>/host` would be another host. */
const IGNORED_BY_BROWSERS = /[\p{Cc}\s\\]/u

/**
 * Where to go after the sign-in: a path of this service, or its first page. `next` comes from the URL, so it is
 * untrusted: a link must not lead through our sign-in to a page that only looks like ours.
 */
export function readOwnPath(next: unknown, origin: string): string {
  if (typeof next !== 'string' || !next.startsWith('/') || IGNORED_BY_BROWSERS.test(next)) return '/'
  const url = URL.parse(next, origin)
  if (url?.origin !== origin) return '/'
  // Checks what will be parsed again: dots are resolved (`/.//host`), and the router decodes (`/%2Fhost`).
  return leavesHost(url.pathname) ? '/' : `${url.pathname}${url.search}${url.hash}`
}

function leavesHost(path: string): boolean {
  try {
    return /^\/[/\\]/.test(decodeURIComponent(path))
  } catch {
    return true
  }
}
