import { queryOptions } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'

/** Runners report every half minute; queues change all the time. */
export const runnersQuery = queryOptions({
  queryKey: ['runners'],
  queryFn: ({ signal }) => skein.listRunners({ signal }),
  refetchInterval: 5_000,
})
