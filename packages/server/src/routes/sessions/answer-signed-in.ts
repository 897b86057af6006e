import { formatTimestamp, type Identity } from '@skein/contract'
import type { EngineResources, SignedIn } from '@skein/engine'
import { describeIdentity } from '../../http/describe-identity.ts'
import { formatSessionCookie } from '../../plugins/session-cookie.ts'

/** The cookie of a new session, and what the page is told. */
export function answerSignedIn(
  engine: Pick<EngineResources, 'publicUrl' | 'cell'>,
  { secret, createdAt, expiresAt, caller }: SignedIn,
): { cookie: string; answer: { identity: Identity; expireTime: string } } {
  const maxAgeSeconds = Math.floor((expiresAt - createdAt) / 1000)
  return {
    cookie: formatSessionCookie(engine, secret, maxAgeSeconds),
    answer: { identity: describeIdentity(caller), expireTime: formatTimestamp(expiresAt) },
  }
}
