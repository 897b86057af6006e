import type { ListedAgent } from './listed.ts'

export interface PendingReason {
  /** Empty for an agent that is not pending. */
  readonly pendingReason: string
  /** When the wait ends; undefined if unknown. */
  readonly pendingUntil: number | undefined
}

const NOT_PENDING: PendingReason = { pendingReason: '', pendingUntil: undefined }

/** Why a pending agent isn't working. `onlinePools` are the pools currently served by a runner of the tenant. */
export function describePending(
  agent: Pick<ListedAgent, 'phase' | 'run' | 'pool' | 'awaits'>,
  onlinePools: ReadonlySet<string>,
  now: number,
): PendingReason {
  const { phase, run, pool, awaits } = agent
  if (phase !== 'PHASE_PENDING') return NOT_PENDING
  if (awaits.length > 0)
    return because(`waiting for ${awaits.length} ${awaits.length === 1 ? 'child' : 'children'}`)
  if (run?.availableAt !== undefined && run.availableAt > now) {
    return {
      pendingReason: run.failures > 0 ? 'retrying' : 'paused, continues',
      pendingUntil: run.availableAt,
    }
  }
  return because(onlinePools.has(pool) ? `waiting for a slot in pool ${pool}` : `no runner in pool ${pool}`)
}

/** Whether the reason depends on which runners are online. */
export function awaitsRunner({ phase, awaits }: Pick<ListedAgent, 'phase' | 'awaits'>): boolean {
  return phase === 'PHASE_PENDING' && awaits.length === 0
}

function because(pendingReason: string): PendingReason {
  return { pendingReason, pendingUntil: undefined }
}
