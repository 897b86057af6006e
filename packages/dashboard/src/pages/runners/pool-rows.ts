import type { PoolEntry, RunnerEntry } from '@skein/client'

/** A pool and its runners. */
export interface PoolRow extends PoolEntry {
  readonly online: number
  /** Concurrent runs over all online runners. */
  readonly slots: number
  /** There is work but no runner. */
  readonly isStuck: boolean
}

export function toPoolRows(pools: readonly PoolEntry[], runners: readonly RunnerEntry[]): readonly PoolRow[] {
  return pools.map((pool) => {
    const serving = runners.filter(({ isOnline, pools: names }) => isOnline && names.includes(pool.name))
    return {
      ...pool,
      online: serving.length,
      slots: serving.reduce((sum, { capacity }) => sum + capacity, 0),
      isStuck: pool.queued > 0 && serving.length === 0,
    }
  })
}
