import { readOwnPath } from '../../session/own-path.ts'

const NEXT = 'skein-sign-in-next'
const ORG = 'skein-sign-in-org'

/** Keeps where the person wanted to go while they are at their identity provider, for this tab. */
export function keepNext(next: unknown): void {
  try {
    if (typeof next === 'string') sessionStorage.setItem(NEXT, next)
    else sessionStorage.removeItem(NEXT)
  } catch {
    // Without storage they end up on the first page.
  }
}

export function takeNext(origin: string): string {
  try {
    const next = sessionStorage.getItem(NEXT)
    sessionStorage.removeItem(NEXT)
    return readOwnPath(next, origin)
  } catch {
    return '/'
  }
}

/** The organization is asked for once in each browser. */
export function keepOrg(org: string): void {
  try {
    localStorage.setItem(ORG, org)
  } catch {
    // It is asked for again.
  }
}

/** From a link, or the last one used here; empty for the one that the service is set up for. */
export function readOrg(asked: unknown): string {
  // The router reads a name of digits as a number.
  if (typeof asked === 'string' || typeof asked === 'number') return String(asked)
  try {
    return localStorage.getItem(ORG) ?? ''
  } catch {
    return ''
  }
}
