import type { PoolEntry, RunnerEntry } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'

interface RunnersAndPools {
  readonly runners: readonly RunnerEntry[]
  readonly pools: readonly PoolEntry[]
}

/** Runners tell of themselves every half minute; queues change all the time. */
export const runnersQuery = queryOptions({
  queryKey: ['runners'],
  queryFn: async ({ signal }): Promise<RunnersAndPools> => {
    const [runners, pools] = await Promise.all([skein.runners({ signal }), skein.pools({ signal })])
    return { runners, pools }
  },
  refetchInterval: 5_000,
})
