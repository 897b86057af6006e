import type { FastifyRequest } from 'fastify'

const SESSION = 'skein'
const FLOW = 'skein-sign-in'

/**
 * Name and flags of the session cookie. With HTTPS, the name's prefix makes browsers reject a cookie set by another
 * host of the same site.
 */
export function formatSessionCookie(
  { publicUrl, cell }: { readonly publicUrl: string; readonly cell: string },
  secret: string,
  maxAgeSeconds: number,
): string {
  // The cell first, so that a load balancer can route it (docs/scaling.md).
  const value = secret === '' ? '' : `${cell}.${secret}`
  return formatCookie(publicUrl, SESSION, value, maxAgeSeconds)
}

/** A sign-in with an identity provider that is under way. */
export function formatFlowCookie(publicUrl: string, flow: string, maxAgeSeconds: number): string {
  return formatCookie(publicUrl, FLOW, flow, maxAgeSeconds)
}

/**
 * Sent by our pages with each request. Browsers send the cookie to every port of the host, so whatever listens on
 * another port gets it. The page's secret stays within the page's origin.
 */
export const PAGE_SECRET_HEADER = 'x-skein-page-secret'

/** The session secret of a request. Cookies from before cells were in them have none. */
export function readSessionCookie(publicUrl: string, header: string): string | undefined {
  return readCookie(publicUrl, SESSION, header)?.split('.').at(-1)
}

export function readFlowCookie(publicUrl: string, header: string): string | undefined {
  return readCookie(publicUrl, FLOW, header)
}

function formatCookie(publicUrl: string, name: string, value: string, maxAgeSeconds: number): string {
  const flags = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${cookieName(publicUrl, name)}=${value}; ${flags}${isSecure(publicUrl) ? '; Secure' : ''}`
}

function readCookie(publicUrl: string, name: string, header: string): string | undefined {
  const start = `${cookieName(publicUrl, name)}=`
  const pair = header
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(start))
  return pair?.slice(start.length)
}

/** Whether our own page sent the request, as far as the browser says. Undefined if it doesn't say. */
export function isSameOrigin({ headers, host }: FastifyRequest, publicUrl: string): boolean | undefined {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  if (headers.origin === undefined) return undefined
  const origin = URL.parse(headers.origin)
  return origin !== null && (origin.host === host || origin.origin === URL.parse(publicUrl)?.origin)
}

function cookieName(publicUrl: string, name: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
