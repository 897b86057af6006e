import { queryOptions } from '@tanstack/react-query'
import { skein } from '../../session/skein.ts'

export const runnersQuery = queryOptions({
  queryKey: ['runners'],
  queryFn: async ({ signal }) => ({ runners: await skein.runners({ signal }) }),
  refetchInterval: 5_000,
})
