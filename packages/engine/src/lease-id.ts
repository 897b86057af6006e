import { parseInt64, SkeinError } from '@skein/contract'
import type { LeaseRef } from '@skein/store'

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const FORM = new RegExp(`^(${UUID})\\.(${UUID})\\.([0-9]{1,19})\\.([0-9]{1,9})$`)

/** Identifies a run to its runner. Includes the attempt, so that an old one never passes for the current one. */
export function formatLease({ tenantId, agentId, runId, attempt }: LeaseRef): string {
  return `${tenantId}.${agentId}.${runId}.${attempt}`
}

export function tryParseLease(text: string): LeaseRef | undefined {
  const [, tenantId, agentId, run, attempt] = FORM.exec(text) ?? []
  const runId = run === undefined ? undefined : parseInt64(run)
  if (tenantId === undefined || agentId === undefined || runId === undefined) return undefined
  return { tenantId, agentId, runId, attempt: Number(attempt) }
}

export function parseLease(text: string): LeaseRef {
  const lease = tryParseLease(text)
  if (!lease) {
    throw new SkeinError('REQUEST_INVALID', {
      message: 'The lease was not issued by this service.',
      violations: [{ field: 'lease', description: 'must be the lease of a run assigned to you' }],
    })
  }
  return lease
}
