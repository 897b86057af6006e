import { SkeinApiError } from '@skein/client'

const CODES: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND'])

/** The link has expired, was revoked or never was one: to its holder all the same. */
export function isRefused(error: unknown): boolean {
  return error instanceof SkeinApiError && CODES.has(error.code)
}
