import { SkeinApiError } from '@skein/client'

const CODES: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND'])

/** The link has expired, was revoked or never existed: all the same to its holder. */
export function isRefused(error: unknown): boolean {
  return error instanceof SkeinApiError && CODES.has(error.code)
}
