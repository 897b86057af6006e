import type { LeaseRef } from '@skein/store'
import { formatLease, tryParseLease } from '../lease-id.ts'
import type { EngineResources } from '../resources.ts'

const PLACE = 'repo-access'

/** For whom a runner may get credentials: for a run, or for a while for an ended agent whose data it removes. */
export interface RepoAccess {
  readonly tenantId: string
  readonly agentId: string
  readonly run: Pick<LeaseRef, 'runId' | 'attempt'> | undefined
  /** Without a run: how long. */
  readonly until: number
}

/** Sealed, so that a runner can only show what it was given. */
export function sealRunAccess({ vault }: EngineResources, lease: LeaseRef): string {
  return vault.seal(formatLease(lease), PLACE)
}

export function sealLeftoverAccess(
  { vault }: EngineResources,
  { tenantId, agentId, until }: Omit<RepoAccess, 'run'>,
): string {
  return vault.seal(`${formatLease({ tenantId, agentId, runId: 0n, attempt: 0 })} ${until}`, PLACE)
}

/** Undefined for anything we didn't seal for this. */
export function openRepoAccess({ vault }: EngineResources, sealed: string): RepoAccess | undefined {
  let text: string
  try {
    text = vault.open(sealed, PLACE)
  } catch {
    return undefined
  }
  const [lease = '', until] = text.split(' ')
  const parsed = tryParseLease(lease)
  if (!parsed) return undefined
  const { tenantId, agentId, runId, attempt } = parsed
  return until === undefined
    ? { tenantId, agentId, run: { runId, attempt }, until: 0 }
    : { tenantId, agentId, run: undefined, until: Number(until) }
}
