import type { Caller } from '@skein/core'

/** Who holds a lease, as the lease records it. */
export function runnerName({ tenantId, token }: Caller): string {
  return `${tenantId}/${token}`
}
