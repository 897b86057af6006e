import type { Caller } from '@skein/core'

/** A lease holder's name, as recorded with the lease. */
export function runnerName({ tenantId, token }: Caller): string {
  return `${tenantId}/${token}`
}
