import { formatTimestamp, type Identity } from '@skein/contract'
import type { Caller } from '@skein/core'

/** Who the service thinks the caller is. */
export function describeIdentity(caller: Caller): Identity {
  return {
    tenant: caller.tenant,
    ownerProvider: caller.ownerProvider,
    account: caller.account,
    role: caller.role,
    token: caller.token,
    expireTime: caller.expiresAt === undefined ? '' : formatTimestamp(caller.expiresAt),
  }
}
