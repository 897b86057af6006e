import { formatTimestamp } from '@skein/contract'
import type { SessionKeys } from '@skein/engine'
import { describeIdentity } from '../../http/describe-identity.ts'

export function answerSessionKeys({ caller, apiKey, expiresAt, renewalKey, sessionExpiresAt }: SessionKeys) {
  return {
    identity: describeIdentity({ ...caller, expiresAt: sessionExpiresAt }),
    apiKey,
    expireTime: formatTimestamp(expiresAt),
    renewalKey,
    sessionExpireTime: formatTimestamp(sessionExpiresAt),
  }
}
