import { QueryCache, QueryClient, MutationCache } from '@tanstack/react-query'
import { identityQuery, isSignedOut } from './identity.ts'

/** A session that ended elsewhere is noticed with the next response. */
function noticeSignOut(error: unknown): void {
  if (isSignedOut(error)) queries.setQueryData(identityQuery.queryKey, null)
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  // The SDK retries itself and knows which errors are worth it. `always`: otherwise a request waiting for the
  // network would be sent long after the user changed their mind, and a service on the same machine needs no
  // network.
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, networkMode: 'always', refetchOnReconnect: true },
    mutations: { retry: false, networkMode: 'always' },
  },
})
