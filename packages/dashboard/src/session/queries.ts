import { QueryCache, QueryClient, MutationCache } from '@tanstack/react-query'
import { identityQuery, isSignedOut } from './identity.ts'

/** A session that ended anywhere is noticed at the next answer, whichever that is. */
function noticeSignOut(error: unknown): void {
  if (isSignedOut(error)) queries.setQueryData(identityQuery.queryKey, null)
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  // The SDK retries by itself, and knows which errors are worth it. Always: what waits for a network is carried out
  // long after somebody has thought better of it, and a service on the same machine needs none.
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { retry: false, networkMode: 'always' },
  },
})
