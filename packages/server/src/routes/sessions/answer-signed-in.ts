import { formatTimestamp, type Identity } from '@skein/contract'
import type { SignedIn } from '@skein/engine'
import { describeIdentity } from '../../http/describe-identity.ts'
import { formatSessionCookie } from '../../plugins/session-cookie.ts'

/** The cookie of a new session, and what the page is told. */
export function answerSignedIn(
  publicUrl: string,
  { secret, createdAt, expiresAt, caller }: SignedIn,
): { cookie: string; answer: { identity: Identity; expireTime: string } } {
  const maxAgeSeconds = Math.floor((expiresAt - createdAt) / 1000)
  return {
    cookie: formatSessionCookie(publicUrl, secret, maxAgeSeconds),
    answer: { identity: describeIdentity(caller), expireTime: formatTimestamp(expiresAt) },
  }
}
