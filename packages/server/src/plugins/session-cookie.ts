import type { FastifyRequest } from 'fastify'

/**
 * The name and flags of a session's cookie. Behind HTTPS the name's prefix makes browsers refuse one that another
 * host of the same site tries to plant.
 */
export function formatSessionCookie(publicUrl: string, secret: string, maxAgeSeconds: number): string {
  const flags = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`
  return `${cookieName(publicUrl)}=${secret}; ${flags}${isSecure(publicUrl) ? '; Secure' : ''}`
}

/**
 * What a page of ours sends with each request. Browsers send the cookie to every port of the host, so whoever listens
 * on another one gets it; the page's secret stays with the page's own origin.
 */
export const PAGE_SECRET_HEADER = 'x-skein-page-secret'

/** The secret of the session that a request comes with. */
export function readSessionCookie(publicUrl: string, header: string): string | undefined {
  const start = `${cookieName(publicUrl)}=`
  const pair = header
    .split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(start))
  return pair?.slice(start.length)
}

/** Whether a page of the service itself sent it, as far as the browser tells. Undefined for what tells nothing. */
export function isSameOrigin({ headers, host }: FastifyRequest, publicUrl: string): boolean | undefined {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  if (headers.origin === undefined) return undefined
  const origin = URL.parse(headers.origin)
  return origin !== null && (origin.host === host || origin.origin === URL.parse(publicUrl)?.origin)
}

function cookieName(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-skein' : 'skein'
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
